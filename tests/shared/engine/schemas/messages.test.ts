import { routes } from '../../../../api/routes';
import { ValidationFailed } from '../../../../shared/engine/errors';
import { bodyValidator } from '../../../../shared/engine/schemas';
import { messageKeywords } from '../../../../shared/engine/schemas/messages';

/** What a caller reads of the field `a` with this schema and value. */
function read(schema: object, a: unknown): string {
  try {
    bodyValidator({ type: 'object', properties: { a: schema } })({ a });
  } catch (error) {
    if (error instanceof ValidationFailed) return error.message;
    throw error;
  }
  return '';
}

const inner = { type: 'object', properties: { b: {} } };
const cases: [keyword: string, schema: object, value: unknown, message: string][] = [
  ['required', { ...inner, required: ['b'] }, {}, 'a/b is required'],
  ['type', { type: 'integer' }, 'x', 'a must be an integer'],
  ['type', { type: ['array', 'null'] }, 1, 'a must be a list or null'],
  ['type', { type: ['string', 'number'] }, {}, 'a must be a string or a number'],
  ['enum', { type: 'string', enum: ['x', 'y'] }, 'z', 'a must be one of x, y'],
  ['const', { const: 'x' }, 'z', 'a must be x'],
  ['minimum', { type: 'integer', minimum: 1 }, 0, 'a must be at least 1'],
  ['maximum', { type: 'integer', maximum: 36 }, 37, 'a must be at most 36'],
  ['minLength', { type: 'string', minLength: 1 }, '', 'a must have at least 1 character'],
  ['minItems', { type: 'array', minItems: 1 }, [], 'a must have at least 1 element'],
  ['minItems', { type: 'array', minItems: 2 }, [1], 'a must have at least 2 elements'],
  ['maxProperties', { ...inner, maxProperties: 1 }, { b: 1, c: 2 }, 'a must have at most 1 field'],
  ['uniqueItems', { type: 'array', uniqueItems: true }, [5, 6, 5], 'a must not have the same element twice (0 and 2)'],
  ['propertyNames', { ...inner, propertyNames: { pattern: '^b$' } }, { c: 1 }, 'a must match ^b$'],
  ['pattern', { type: 'string', pattern: /\S/u.source }, ' ', 'a must not be only spaces'],
  ['pattern', { type: 'string', pattern: '^x$' }, 'z', 'a must match ^x$'],
  ['format', { type: 'string', format: 'color' }, 'red', 'a must be a colour, such as #0f766e'],
  ['decimal', { type: 'number', decimal: { above: '0' } }, 0, 'a must be greater than 0'],
];

test.each(cases)('%s › %j with %j › %s', (_keyword, schema, value, message) => {
  expect(read(schema, value)).toBe(message);
});

test('every message has an example above', () => {
  expect(messageKeywords.filter((keyword) => !cases.some(([name]) => name === keyword))).toEqual([]);
});

/** The keywords of a schema that ajv checks, those of its parts included. */
function keywordsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, items, anyOf = [], ...own } = schema as Record<string, unknown>;
  const parts = [...Object.values(properties as object), items, ...(anyOf as unknown[])];
  return [...Object.keys(own), ...parts.flatMap(keywordsOf)];
}

test('every keyword of a request has a message, is checked with the lengths, or says nothing of a value', () => {
  const used = new Set(routes.flatMap(({ body, query }) => [...keywordsOf(body), ...keywordsOf(query)]));
  const lengths = ['maxLength', 'maxLines', 'maxItems', 'additionalProperties'];
  const silent = ['title', 'description', 'default', 'examples', 'readOnly'];
  expect([...used].filter((name) => ![...messageKeywords, ...lengths, ...silent].includes(name))).toEqual([]);
  expect(used.size).toBeGreaterThan(10);
});
