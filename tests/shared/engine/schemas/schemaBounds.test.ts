import type { SchemaObject } from 'ajv';
import { routes } from '../../../../api/routes';

const schemas = routes.flatMap(({ method, path, body, query }) => [
  ...(body ? [[`${method} ${path} body`, body] as const] : []),
  ...(query ? [[`${method} ${path} query`, query] as const] : []),
]);

const typesOf = ({ type }: SchemaObject): readonly string[] => [type as string | string[]].flat();

/** The paths of what a caller could make as long as they like. */
function unbounded(schema: SchemaObject, path: string, isQuery: boolean): string[] {
  // What is ignored has one bound of its own (nesting and number of values), whatever it holds.
  if (schema.readOnly === true) return [];
  if (schema.anyOf !== undefined) {
    return (schema.anyOf as SchemaObject[]).flatMap((one) => unbounded(one, path, isQuery));
  }
  const types = typesOf(schema);
  if (schema.type === undefined) return [`${path} has no type`];
  const found: string[] = [];
  const endless = (what: string, isBounded: boolean): void => void (isBounded || found.push(`${path} is ${what}`));
  if (types.includes('string')) endless('text without maxLength', schema.enum !== undefined || schema.maxLength > 0);
  if (types.includes('array')) {
    endless('a list without maxItems', schema.maxItems > 0);
    found.push(...unbounded(schema.items as SchemaObject, `${path}/*`, false));
  }
  if (types.includes('object')) {
    // Unknown parameters are refused, and the length of a query is bounded by the size of the headers.
    const others = schema.additionalProperties as SchemaObject | boolean;
    const areFew = typeof others === 'object' && schema.maxProperties > 0 && schema.propertyNames !== undefined;
    endless('an object that takes any field', isQuery || others === false || areFew);
    if (typeof others === 'object') found.push(...unbounded(others, `${path}/*`, false));
    for (const [name, inner] of Object.entries((schema.properties ?? {}) as Record<string, SchemaObject>)) {
      found.push(...unbounded(inner, `${path}/${name}`, false));
    }
  }
  return found;
}

describe('the schemas of requests', () => {
  test.each(schemas)('%s › bounds every text, list and object', (name, schema) => {
    expect(unbounded(schema, '', name.endsWith('query'))).toEqual([]);
  });

  test.each(schemas)('%s › has no keyword that compares the elements of a long list', (_name, schema) => {
    const long = JSON.stringify(schema, (key, value: unknown) => {
      const { uniqueItems, maxItems } = (value ?? {}) as SchemaObject;
      return uniqueItems === true && maxItems > 100 ? `endless: ${key}` : value;
    });
    expect(long).not.toContain('endless');
  });

  test('every POST and PUT › has a schema for its body, or takes a file', () => {
    const free = routes.filter(({ method, body, upload }) => /POST|PUT/.test(method) && !body && !upload);
    expect(free.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  test('a schema that forgets a bound › would be found', () => {
    const forgetful: SchemaObject = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: ['array', 'null'], items: { type: 'object' } } },
    };
    expect(unbounded(forgetful, '', false)).toHaveLength(4);
  });
});
