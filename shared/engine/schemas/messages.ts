import type { ErrorObject } from 'ajv/dist/2020';
import { type DecimalBounds, decimalProblem } from './decimal';
import { asciiLocalPart, EVENT_TYPE_PATTERN, METADATA_KEY_PATTERN } from './fields';
import { formatMessage } from './formats';

type Params = Readonly<Record<string, unknown>>;

/** The messages for patterns. A pattern without one is shown itself. */
const patterns: Readonly<Record<string, string>> = {
  [/\S/u.source]: 'must not be only spaces',
  [asciiLocalPart]: 'must have only printable ASCII characters before the @, because most mail servers take no others',
  [METADATA_KEY_PATTERN.source]: 'must have keys of 1 to 40 letters A to Z, digits, `_`, `.` and `-`',
  [EVENT_TYPE_PATTERN.source]: 'must be a type of events such as invoice.paid, a pattern such as invoice.*, or *',
};

/** The messages by the failed keyword of the schema. `maxLength` and `maxItems` are checked before. */
const messages: Readonly<Record<string, (params: Params) => string>> = {
  required: () => 'is required',
  type: ({ type }) => `must be ${[type].flat().map(typeName).join(' or ')}`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).map(String).join(', ')}`,
  const: ({ allowedValue }) => `must be ${String(allowedValue)}`,
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  minLength: ({ limit }) => `must have at least ${counted(limit, 'character')}`,
  minItems: ({ limit }) => `must have at least ${counted(limit, 'element')}`,
  maxProperties: ({ limit }) => `must have at most ${counted(limit, 'field')}`,
  uniqueItems: ({ i, j }) => `must not have the same element twice (${String(j)} and ${String(i)})`,
  propertyNames: ({ propertyName }) => `must not have a field named ${String(propertyName)}`,
  pattern: ({ pattern }) => patterns[String(pattern)] ?? `must match ${String(pattern)}`,
  format: ({ format }) => formatMessage(String(format)),
  decimal: ({ value, bounds }) => decimalProblem(bounds as DecimalBounds)(value as string | number) ?? 'is not valid',
};

/** The keywords that have a message. */
export const messageKeywords = Object.keys(messages);

/** Returns the message for one failed keyword, without the name of the field. */
export function messageOf({ keyword, params, message }: Pick<ErrorObject, 'keyword' | 'params' | 'message'>): string {
  return messages[keyword]?.(params as Params) ?? message ?? 'is not valid';
}

/** Returns `1 element` or `2 elements`. */
export function counted(count: unknown, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const typeNames: Readonly<Record<string, string>> = { array: 'a list', object: 'an object', integer: 'an integer' };

function typeName(type: unknown): string {
  return type === 'null' ? 'null' : (typeNames[String(type)] ?? `a ${String(type)}`);
}
