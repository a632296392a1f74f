import Ajv2020, { type ErrorObject, type SchemaObject, type ValidateFunction } from 'ajv/dist/2020';
import { type FieldProblem, MAX_PROBLEMS, ValidationFailed } from '../errors';
import { addDecimalKeyword } from './decimal';
import { addFormats } from './formats';
import { lengthProblems, unknownField } from './lengths';
import { messageOf } from './messages';
import { readQueryValues } from './queryValues';
import { unknownParameters } from './unknownParameters';

// Not `validateSchema`: as in plainAjv.ts.
const ajv = new Ajv2020({
  ...{ allErrors: true, useDefaults: true, strict: true, allowUnionTypes: true, validateSchema: false },
});
addFormats(ajv);
addDecimalKeyword(ajv);
// Lengths are checked together, and deprecated parts are no mistakes.
ajv.addVocabulary(['maxLines', 'deprecation']);

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
 * A parameter that is not known is refused: a mistyped filter must not list everything.
 * @throws {ValidationFailed} from the returned function.
 */
export function queryValidator(schema: SchemaObject): (query: Record<string, unknown>) => void {
  const check = bodyValidator(schema);
  const known = Object.keys((schema.properties ?? {}) as object);
  return (query) => {
    const unknown = unknownParameters(known, Object.keys(query));
    if (unknown.length > 0) throw new ValidationFailed(unknown);
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

function problemOf(error: ErrorObject): FieldProblem {
  const path = error.instancePath.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  if (error.keyword === 'additionalProperties') return unknownField(path, String(error.params.additionalProperty));
  const missing = error.keyword === 'required' ? [String(error.params.missingProperty)] : [];
  return { path: [...(path === '' ? [] : [path]), ...missing].join('/'), message: messageOf(error) };
}
