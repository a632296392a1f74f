import { isDeepStrictEqual } from 'node:util';

/** A JSON Schema as the OpenAPI document has it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  [keyword: string]: unknown;
}

/** A request must accept what it accepted before; a response must contain what it contained before. */
export type Direction = 'request' | 'response';

const lowerBounds = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const upperBounds = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
/** Keywords whose values cannot be compared: a request may not get another value, a response may not lose its value. */
const opaque = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'allOf', 'not'];

/** Compares the schemas of two documents. */
export class SchemaComparison {
  private readonly compared = new Set<string>();

  constructor(
    private readonly before: Record<string, Schema>,
    private readonly now: Record<string, Schema>,
  ) {}

  /** Returns the breaking changes, a sentence each. @param at the location of the schema */
  breaks(at: string, before: Schema, now: Schema, direction: Direction): string[] {
    if (before.$ref !== undefined && now.$ref !== undefined) {
      const pair = `${direction} ${before.$ref} ${now.$ref}`;
      if (this.compared.has(pair)) return [];
      this.compared.add(pair);
    }
    const [old, current] = [resolve(before, this.before), resolve(now, this.now)];
    const branches = [branchesOf(old), branchesOf(current)] as const;
    if (branches[0].length > 1 || branches[1].length > 1) return this.unions(at, ...branches, direction);
    const found = direction === 'request' ? narrowed(old, current) : loosened(old, current);
    return [...found.map((what) => `${at} ${what}`), ...this.parts(at, old, current, direction)];
  }

  /** Every branch that the sender may use needs a compatible branch of the receiver. */
  private unions(at: string, before: Schema[], now: Schema[], direction: Direction): string[] {
    const fits = (old: Schema, current: Schema): boolean =>
      new SchemaComparison(this.before, this.now).breaks(at, old, current, direction).length === 0;
    if (direction === 'request') {
      return before.every((old) => now.some((current) => fits(old, current))) ? [] : [`${at} accepts less`];
    }
    return now.every((current) => before.some((old) => fits(old, current))) ? [] : [`${at} may be something else`];
  }

  private parts(at: string, before: Schema, now: Schema, direction: Direction): string[] {
    const properties = Object.entries(before.properties ?? {}).flatMap(([name, old]) => {
      const current = now.properties?.[name];
      const where = `${at}/${name}`;
      return current === undefined ? [`${where} is missing`] : this.breaks(where, old, current, direction);
    });
    const further = (['items', 'additionalProperties', 'propertyNames'] as const).flatMap((part) => {
      const [old, current] = [before[part], now[part]];
      const isCompared = typeof old === 'object' && typeof current === 'object';
      return isCompared ? this.breaks(`${at}/${part}`, old, current, direction) : [];
    });
    const isAny = direction === 'response' && before.items !== undefined && now.items === undefined;
    return [...properties, ...further, ...(isAny ? [`${at} may have any items`] : [])];
  }
}

/** Returns how `now` accepts less of a request. */
function narrowed(before: Schema, now: Schema): string[] {
  const required = (now.required ?? []).filter((name) => !before.required?.includes(name));
  const values = valuesOf(now);
  const isRefused = (value: unknown): boolean => !values?.some((one) => isDeepStrictEqual(one, value));
  return [
    ...(typesOf(before).every((type) => accepts(typesOf(now), type)) ? [] : ['has fewer types']),
    ...(values !== null && (valuesOf(before) ?? [undefined]).some(isRefused) ? ['has fewer values'] : []),
    ...required.map((name) => `requires ${name}`),
    ...(now.additionalProperties === false && before.additionalProperties !== false ? ['refuses other fields'] : []),
    ...lowerBounds.filter((name) => bound(now, name, -Infinity) > bound(before, name, -Infinity)).map(changed),
    ...upperBounds.filter((name) => bound(now, name, Infinity) < bound(before, name, Infinity)).map(changed),
    ...opaque.filter((name) => now[name] !== undefined && !isSame(before, now, name)).map(changed),
    ...(before.default !== undefined && !isSame(before, now, 'default') ? [changed('default')] : []),
    ...rulesOf(now)
      .filter((rule) => !rulesOf(before).includes(rule))
      .map((rule) => `has the new rule "${rule}"`),
  ];
}

/** Returns how `now` guarantees less of a response. New values of an enum are not counted: callers must expect them. */
function loosened(before: Schema, now: Schema): string[] {
  const optional = (before.required ?? []).filter((name) => now.properties?.[name] && !now.required?.includes(name));
  return [
    ...(typesOf(now).every((type) => accepts(typesOf(before), type)) ? [] : ['has other types']),
    ...optional.map((name) => `may lack ${name}`),
    ...opaque.filter((name) => before[name] !== undefined && !isSame(before, now, name)).map(changed),
  ];
}

const changed = (keyword: string): string => `has another ${keyword}`;
const isSame = (a: Schema, b: Schema, name: string): boolean => isDeepStrictEqual(a[name], b[name]);
const bound = (schema: Schema, name: string, none: number): number => (schema[name] as number | undefined) ?? none;
const branchesOf = (schema: Schema): Schema[] => schema.anyOf ?? schema.oneOf ?? [schema];
const valuesOf = ({ enum: values, ...schema }: Schema): unknown[] | null =>
  values ?? ('const' in schema ? [schema.const] : null);

/** A schema without a type accepts any. */
const typesOf = ({ type = 'any' }: Schema): string[] => (typeof type === 'string' ? [type] : type);
const accepts = (types: readonly string[], type: string): boolean =>
  types.includes(type) || types.includes('any') || (type === 'integer' && types.includes('number'));

/** Rules of this service that JSON Schema cannot express are sentences of the description. */
const rulesOf = ({ description = '' }: Schema): string[] =>
  description.split(/(?<=\.) (?=[A-Z])/).filter((sentence) => sentence.startsWith('Must '));

function resolve(schema: Schema, components: Record<string, Schema>): Schema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...beside } = schema;
  const found = components[$ref.split('/').at(-1) ?? ''];
  if (found === undefined) throw new Error(`${$ref} is no component`);
  return { ...found, ...beside };
}
