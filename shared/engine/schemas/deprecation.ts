/** The deprecation of an operation or, by the keyword `deprecation` of its schema, of a parameter or a field. */
export interface Deprecation {
  /** The day since which it is deprecated, `YYYY-MM-DD`. */
  readonly since: string;
  /** The day from which it may be removed. */
  readonly sunset: string;
  /** The replacement, as a part of a sentence. */
  readonly use: string;
}

/** Returns its text in the documentation. */
export function deprecationSentence({ since, sunset, use }: Deprecation): string {
  return `Deprecated since ${since}, may be gone from ${sunset}: use ${use}.`;
}

/** A deprecated parameter or field: `page`, `items/#/code`. */
export interface DeprecatedPart {
  readonly path: string;
  readonly deprecation: Deprecation;
}

interface Node {
  deprecation?: Deprecation;
  properties?: Record<string, Node>;
  items?: Node;
}

/** Returns the deprecated parts of a schema. */
export function deprecatedParts(schema: object, path = ''): DeprecatedPart[] {
  const { properties = {}, items } = schema as Node;
  const inner = [...Object.entries(properties), ...(items === undefined ? [] : [['#', items] as const])];
  return inner.flatMap(([name, part]) => {
    const at = path === '' ? name : `${path}/${name}`;
    return [...(part.deprecation ? [{ path: at, deprecation: part.deprecation }] : []), ...deprecatedParts(part, at)];
  });
}

/** Tests whether a value, which its schema accepts, has this part. */
export function hasPart(value: unknown, path: string): boolean {
  const [name = '', ...rest] = path.split('/');
  if (name === '#')
    return Array.isArray(value) && value.some((one) => rest.length === 0 || hasPart(one, rest.join('/')));
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
  return rest.length === 0 || hasPart((value as Record<string, unknown>)[name], rest.join('/'));
}
