import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import openApiSchema from '../schemas/openapi-3.1.json';

type Json = Record<string, unknown>;

interface Parameter {
  name: string;
  in: string;
  schema?: object;
}

interface Operation extends Json {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: (Parameter | { $ref: string })[];
  security?: Record<string, string[]>[];
  responses?: Record<string, object>;
}

interface Document {
  info?: { description?: string; contact?: object; license?: { url?: string; identifier?: string } };
  servers?: { url: string }[];
  tags?: { name: string; description?: string }[];
  security?: Record<string, string[]>[];
  paths?: Record<string, Record<string, Operation>>;
  components?: Record<string, Record<string, object>>;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns what is wrong with an OpenAPI 3.1 document, one sentence each with its place: by the schema of OpenAPI and that of JSON
 * Schema 2020-12, and by the rules that the usual linters recommend.
 */
export function lintOpenApi(given: object): string[] {
  const document = given as Document;
  const ajv = new Ajv2020({ strict: false, logger: false, allErrors: true, validateSchema: false });
  addFormats(ajv);
  ajv.addSchema(given, 'document');
  const broken = references(given, document);
  const canResolve = !broken.some((problem) => problem.includes('leads nowhere'));
  return [
    ...structure(given),
    ...description(document),
    ...Object.entries(document.paths ?? {}).flatMap(([path, item]) => pathProblems(path, item, document)),
    ...duplicates('path', Object.keys(document.paths ?? {}).map(withoutNames)),
    ...duplicates(
      'operationId',
      operationsOf(document).map(({ operationId }) => operationId ?? ''),
    ),
    ...broken,
    ...(canResolve ? [...partsOf(given)].flatMap(([place, part]) => schemaProblems(place, part, ajv)) : []),
  ];
}

const isOpenApi = addFormats(new Ajv2020({ strict: false, logger: false, allErrors: true })).compile(openApiSchema);

function structure(document: object): string[] {
  isOpenApi(document);
  return (isOpenApi.errors ?? []).map(({ instancePath, message = '' }) => `structure: ${message} (${instancePath})`);
}

function description({ info, servers = [], tags = [] }: Document): string[] {
  const problems: string[] = [];
  if (!info?.description || !info.contact) problems.push('info: no description or contact (/info)');
  if (!info?.license?.url && !info?.license?.identifier) problems.push('info: no licence (/info)');
  if (servers.length === 0) problems.push('servers: none (/servers)');
  for (const { url } of servers) if (/\/$|\bexample\.com/.test(url)) problems.push(`servers: ${url} (/servers)`);
  for (const { name, description } of tags) if (!description) problems.push(`tags: ${name} has no description (/tags)`);
  return [
    ...problems,
    ...duplicates(
      'tag',
      tags.map(({ name }) => name),
    ),
  ];
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

const operationsOf = ({ paths = {} }: Document): Operation[] =>
  Object.values(paths).flatMap((item) => methods.flatMap((method) => (item[method] ? [item[method]] : [])));

const withoutNames = (path: string): string => path.replace(/\{[^}]*\}/g, '{}');

function pathProblems(path: string, item: Record<string, Operation>, document: Document): string[] {
  const problems = /\/$|\?/.test(path) ? ['path: ends with / or has a query'] : [];
  const declared = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);
  for (const method of methods) {
    const operation = item[method];
    if (operation === undefined) continue;
    const { operationId = '', summary, description, tags = [], responses = {}, security = [] } = operation;
    const say = (problem: string) => problems.push(`${method}: ${problem}`);
    if (!/^[\w-]+$/.test(operationId)) say('no operationId that fits into a URL');
    if (!summary || !description) say('no summary or description');
    if (tags.length === 0) say('no tag');
    for (const tag of tags) if (!document.tags?.some(({ name }) => name === tag)) say(`the tag ${tag} is not declared`);
    for (const kind of ['2', '4']) {
      if (!Object.keys(responses).some((status) => status.startsWith(kind))) say(`no response ${kind}xx`);
    }
    const schemes = Object.keys(document.components?.['securitySchemes'] ?? {});
    for (const scheme of [...security, ...(document.security ?? [])].flatMap(Object.keys)) {
      if (!schemes.includes(scheme)) say(`the security scheme ${scheme} is not declared`);
    }
    if (operation.security === undefined && document.security === undefined) say('no security');
    const parameters = (operation.parameters ?? []).map((one) => ('$ref' in one ? resolve(document, one.$ref) : one));
    const known = parameters.filter(isObject) as unknown as Parameter[];
    const inPath = known.filter((one) => one.in === 'path').map(({ name }) => name);
    if (inPath.sort().join() !== [...declared].sort().join()) say('path parameters differ from those of the path');
    problems.push(
      ...duplicates(
        `${method}: parameter`,
        known.map((one) => `${one.in} ${one.name}`),
      ),
    );
  }
  return problems.map((problem) => `${problem} (${path})`);
}

/** References that lead nowhere, and components that nothing refers to. */
function references(given: object, { components = {} }: Document): string[] {
  const used = new Set<string>();
  const problems: string[] = [];
  for (const [place, part] of partsOf(given)) {
    const { $ref: reference } = part;
    if (typeof reference !== 'string') continue;
    used.add(reference);
    if (resolve(given, reference) === undefined) problems.push(`reference: ${reference} leads nowhere (${place})`);
  }
  for (const [kind, parts] of Object.entries(components)) {
    if (kind === 'securitySchemes') continue;
    for (const name of Object.keys(parts)) {
      if (!used.has(`#/components/${kind}/${name}`)) problems.push(`component: ${kind}/${name} is not used`);
    }
  }
  return problems;
}

/** Something that is no schema, a schema that asks for what it does not describe, an example that its schema refuses. */
function schemaProblems(place: string, part: Json, ajv: Ajv2020): string[] {
  if (/\/(?:examples?|default|const|enum)\//.test(place)) return [];
  const problems: string[] = [];
  const say = (problem: string) => problems.push(`schema: ${problem} (${place})`);
  const { type, enum: values, required, properties, example, examples } = part;
  if (/\/schema$|^\/components\/schemas\/[^/]+$/.test(place) && !ajv.validateSchema(part)) say(ajv.errorsText());
  if (Array.isArray(values) && type !== undefined) {
    if (!values.every((value) => ajv.validate({ type }, value))) say('an enum with a value of another type');
  }
  if (type === 'array' && part['items'] === undefined && part['prefixItems'] === undefined) say('no items');
  if (Array.isArray(required) && isObject(properties)) {
    for (const name of required as string[]) if (!(name in properties)) say(`no property ${name}`);
  }
  const shown: unknown[] = 'example' in part ? [example] : [];
  if (Array.isArray(examples)) shown.push(...(examples as unknown[]));
  else if (isObject(examples)) shown.push(...Object.values(examples).map((one) => (one as { value: unknown }).value));
  const pointer = `document#${isObject(part['schema']) ? `${place}/schema` : place}`;
  for (const one of shown) if (!ajv.validate(pointer, one)) say(`example: ${ajv.errorsText()}`);
  return problems;
}

/** Every object of a document, with its JSON pointer. */
function* partsOf(value: unknown, place = ''): Generator<[place: string, part: Json]> {
  if (isObject(value)) yield [place, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value))
    yield* partsOf(inner, `${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

function resolve(document: object, reference: string): unknown {
  return reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((part, name) => (isObject(part) ? part[name] : undefined), document);
}

function duplicates(what: string, values: readonly string[]): string[] {
  return values.filter((value, at) => values.indexOf(value) < at).map((value) => `${what}: ${value} twice`);
}
