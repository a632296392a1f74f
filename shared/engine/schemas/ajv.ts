import Ajv2020, { type ErrorObject, type SchemaObject, type ValidateFunction } from 'ajv/dist/2020';
import { type FieldProblem, MAX_PROBLEMS, ValidationFailed } from '../errors';
import { addDecimalKeyword, decimalProblem, type DecimalBounds } from './decimal';
import { asciiLocalPart, EVENT_TYPE_PATTERN, METADATA_KEY_PATTERN } from './fields';
import { addFormats, formatMessage } from './formats';
import { lengthProblems, unknownField } from './lengths';
import { readQueryValues } from './queryValues';

const ajv = new Ajv2020({ allErrors: true, useDefaults: true, strict: true, allowUnionTypes: true });
addFormats(ajv);
addDecimalKeyword(ajv);
// It is checked with the other lengths.
ajv.addVocabulary(['maxLines']);

/**
 * Checks a JSON value: first its lengths, then its contents. Nothing is coerced from one JSON type to another. The schema is
 * compiled by the first check (2 to 10 ms): a process uses few of all schemas, and starts sooner.
 * @throws {ValidationFailed} from the returned function.
 */
export function bodyValidator(schema: SchemaObject): (value: unknown) => void {
  let validate: ValidateFunction | undefined;
  return (value) => {
    const problems = lengthProblems(schema, value);
    if (problems.length > 0) throw new ValidationFailed(problems);
    validate ??= ajv.compile(schema);
    if (!validate(value)) throw new ValidationFailed(problemsOf(validate.errors ?? []));
  };
}

/**
 * Checks query parameters like a body, after reading numbers and booleans from their text and filling in defaults, in place.
 * @throws {ValidationFailed} from the returned function.
 */
export function queryValidator(schema: SchemaObject): (query: Record<string, unknown>) => void {
  const check = bodyValidator(schema);
  return (query) => {
    readQueryValues(schema, query);
    const isByCursor = query.cursor !== undefined && query.page === undefined;
    check(query);
    // The default page is that of a list without a cursor.
    if (isByCursor) delete query.page;
  };
}

/** A union of types fails in every branch: the most telling error of each field is kept. */
function problemsOf(errors: readonly ErrorObject[]): FieldProblem[] {
  const problems = new Map<string, FieldProblem>();
  for (const error of errors) {
    const problem = problemOf(error);
    if (!problems.has(problem.path)) problems.set(problem.path, problem);
    if (problems.size === MAX_PROBLEMS) break;
  }
  return [...problems.values()];
}

function problemOf({ instancePath, keyword, params, message }: ErrorObject): FieldProblem {
  const path = instancePath.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  if (keyword === 'required') {
    const missing = String(params.missingProperty);
    return { path: path === '' ? missing : `${path}/${missing}`, message: 'is required' };
  }
  if (keyword === 'additionalProperties') return unknownField(path, String(params.additionalProperty));
  if (keyword === 'enum') {
    return { path, message: `must be one of ${(params.allowedValues as unknown[]).map(String).join(', ')}` };
  }
  if (keyword === 'pattern' && params.pattern === /\S/u.source) return { path, message: 'must not be only spaces' };
  if (keyword === 'pattern' && params.pattern === asciiLocalPart) {
    return {
      path,
      message: 'must have only printable ASCII characters before the @, because most mail servers take no others',
    };
  }
  if (keyword === 'pattern' && params.pattern === EVENT_TYPE_PATTERN.source) {
    return { path, message: 'must be a type of events such as invoice.paid, a pattern such as invoice.*, or *' };
  }
  if (keyword === 'pattern' && params.pattern === METADATA_KEY_PATTERN.source) {
    return { path, message: 'must have keys of 1 to 40 letters A to Z, digits, `_`, `.` and `-`' };
  }
  if (keyword === 'type') return { path, message: `must be ${[params.type].flat().join(' or ')}` };
  if (keyword === 'decimal') {
    const { value, bounds } = params as { value: string | number; bounds: DecimalBounds };
    return { path, message: decimalProblem(bounds)(value) ?? 'is not valid' };
  }
  if (keyword === 'format') return { path, message: formatMessage(String(params.format)) };
  return { path, message: message ?? 'is not valid' };
}
