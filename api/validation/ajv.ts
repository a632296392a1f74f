import Ajv2020, { type ErrorObject, type SchemaObject, type ValidateFunction } from 'ajv/dist/2020';
import { isCurrency } from '../../shared/domain/currencies';
import { readDate } from '../../shared/domain/dates';
import { isInvoiceNumber, isInvoiceNumberFormat } from '../../shared/domain/invoiceNumber';
import { isDecimal, parseDecimal } from '../../shared/domain/money';
import { ValidationFailed, type FieldProblem } from '../../shared/errors';

/** Bounds of a decimal with at most two places, as decimal strings. */
export interface DecimalBounds {
  above?: string;
  atLeast?: string;
  atMost?: string;
}

const EMAIL = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/u;
/** Control characters other than line breaks and tabs, and halves of surrogate pairs. */
const UNPRINTABLE = /[\p{Cs}]|(?![\n\r\t])\p{Cc}/u;

function createAjv(coerceTypes: boolean): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, coerceTypes, useDefaults: true, strict: true, allowUnionTypes: true });
  ajv.addFormat('day', { type: 'string', validate: (text: string) => readDate(text) !== null });
  ajv.addFormat('currency', { type: 'string', validate: isCurrency });
  ajv.addFormat('email', { type: 'string', validate: (text: string) => EMAIL.test(text) });
  ajv.addFormat('locale', { type: 'string', validate: isLocale });
  ajv.addFormat('timezone', { type: 'string', validate: isTimezone });
  ajv.addFormat('text', { type: 'string', validate: (text: string) => !UNPRINTABLE.test(text) });
  ajv.addFormat('line', { type: 'string', validate: isLine });
  ajv.addFormat('web-address', { type: 'string', validate: (text: string) => text === '' || isWebAddress(text) });
  ajv.addFormat('invoice-number', { type: 'string', validate: isInvoiceNumber });
  ajv.addFormat('invoice-number-format', { type: 'string', validate: isInvoiceNumberFormat });
  ajv.addFormat('date-time', { type: 'string', validate: (text: string) => !Number.isNaN(Date.parse(text)) });
  ajv.addFormat('uri', { type: 'string', validate: (text: string) => URL.canParse(text) });
  ajv.addKeyword({
    keyword: 'decimal',
    type: ['number', 'string'],
    schemaType: 'object',
    errors: true,
    validate: decimal,
  });
  // Of OpenAPI, for people only.
  ajv.addVocabulary(['example']);
  return ajv;
}

interface KeywordValidator {
  (bounds: DecimalBounds, value: string | number): boolean;
  errors?: Partial<ErrorObject>[];
}

/** `multipleOf: 0.01` computes in binary and refuses 19.99; this looks at the digits. */
const decimal: KeywordValidator = (bounds, value) => {
  const message = decimalProblem(bounds, String(value));
  decimal.errors = message === null ? [] : [{ keyword: 'decimal', message, params: {} }];
  return message === null;
};

function decimalProblem({ above, atLeast, atMost }: DecimalBounds, text: string): string | null {
  if (!isDecimal(text)) return 'must be a decimal with at most two places, within ±9,999,999,999,999.99';
  const value = parseDecimal(text);
  if (above !== undefined && value <= parseDecimal(above)) return `must be greater than ${above}`;
  if (atLeast !== undefined && value < parseDecimal(atLeast)) return `must be at least ${atLeast}`;
  if (atMost !== undefined && value > parseDecimal(atMost)) return `must be at most ${atMost}`;
  return null;
}

function isLine(text: string): boolean {
  return !UNPRINTABLE.test(text) && !/[\n\r\t\u2028\u2029]/.test(text);
}

/** The parser alone would take spaces and line breaks, and drop them. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && isLine(text) && URL.canParse(text);
}

function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function isTimezone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '' && /^[A-Z]/i.test(text);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const bodies = createAjv(false);
const queries = createAjv(true);

/** Checks a JSON value; nothing is coerced from one JSON type to another. */
export function bodyValidator(schema: SchemaObject): (value: unknown) => void {
  return throwing(bodies.compile(schema));
}

/** Checks query parameters, which are text: numbers and booleans are read from it, defaults filled in. */
export function queryValidator(schema: SchemaObject): (value: unknown) => void {
  return throwing(queries.compile(schema));
}

function throwing(validate: ValidateFunction): (value: unknown) => void {
  return (value) => {
    if (!validate(value)) throw new ValidationFailed(problemsOf(validate.errors ?? []));
  };
}

const formatMessages: Record<string, string> = {
  day: 'must be a day of the calendar, YYYY-MM-DD',
  currency: 'must be an ISO 4217 currency code, such as IDR',
  email: 'must be an e-mail address',
  locale: 'must be a BCP 47 language tag, such as en or id-ID',
  timezone: 'must be an IANA time zone, such as Asia/Jakarta',
  text: 'must not contain control characters',
  line: 'must be one line without control characters',
  uri: 'must be a URL',
  'web-address': 'must be an http or https URL',
  'invoice-number': 'must be printable characters, and not only spaces',
  'invoice-number-format': 'must contain {SEQ:n} once (n from 1 to 9), and beside it only text, {YYYY} and {MM}',
};

/** A union of types fails in every branch: the most telling error of each field is kept. */
function problemsOf(errors: readonly ErrorObject[]): FieldProblem[] {
  const problems = new Map<string, FieldProblem>();
  for (const error of errors) {
    const problem = problemOf(error);
    if (!problems.has(problem.path)) problems.set(problem.path, problem);
  }
  return [...problems.values()];
}

function problemOf({ instancePath, keyword, params, message }: ErrorObject): FieldProblem {
  const path = instancePath.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  const inner = (name: unknown): string => (path === '' ? String(name) : `${path}/${String(name)}`);
  if (keyword === 'required') return { path: inner(params.missingProperty), message: 'is required' };
  if (keyword === 'additionalProperties') {
    return { path: inner(params.additionalProperty), message: 'is not a known field' };
  }
  if (keyword === 'enum') {
    return { path, message: `must be one of ${(params.allowedValues as unknown[]).map(String).join(', ')}` };
  }
  if (keyword === 'pattern' && params.pattern === '\\S') return { path, message: 'must not be only spaces' };
  if (keyword === 'type') return { path, message: `must be ${[params.type].flat().join(' or ')}` };
  if (keyword === 'format')
    return { path, message: formatMessages[String(params.format)] ?? message ?? 'is not valid' };
  return { path, message: message ?? 'is not valid' };
}
