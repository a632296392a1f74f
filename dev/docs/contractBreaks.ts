import { type Direction, type Schema, SchemaComparison } from './schemaBreaks';

type Content = Record<string, { schema?: Schema }>;

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { $ref?: string; headers?: Record<string, object>; content?: Content }>;
}

type Operations = Record<string, Record<string, Operation>>;

/** The parts of an OpenAPI document that are compared. */
export interface ContractDocument {
  paths: Operations;
  webhooks?: Operations;
  components: { schemas: Record<string, Schema> };
}

/**
 * Returns the breaking changes between two documents, a sentence each: parts that are missing, narrower in a request or
 * less certain in a response. New fields, new values in responses and new optional parts do not break callers.
 */
export function contractBreaks(before: ContractDocument, now: ContractDocument): string[] {
  const schemas = new SchemaComparison(before.components.schemas, now.components.schemas);
  return [
    ...operationBreaks(schemas, before.paths, now.paths, ['request', 'response']),
    // A caller reads the body of a webhook's request, as that of a response.
    ...operationBreaks(schemas, before.webhooks ?? {}, now.webhooks ?? {}, ['response', 'request']),
    ...missing('the schema', before.components.schemas, now.components.schemas),
  ];
}

/** @param directions of the bodies of requests and of responses */
function operationBreaks(
  schemas: SchemaComparison,
  before: Operations,
  now: Operations,
  [sent, received]: readonly [Direction, Direction],
): string[] {
  return Object.entries(before).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, old]) => {
      const at = `${method.toUpperCase()} ${path}`;
      const current = now[path]?.[method];
      if (current === undefined) return [`${at} is missing`];
      return [
        ...(old.operationId === current.operationId ? [] : [`${at} has another operationId`]),
        ...parameterBreaks(schemas, at, old.parameters ?? [], current.parameters ?? [], sent),
        ...bodyBreaks(schemas, at, old.requestBody, current.requestBody, sent),
        ...Object.entries(old.responses).flatMap(([status, response]) => {
          const [where, found] = [`${at} ${status}`, current.responses[status]];
          if (found === undefined) return [`${where} is missing`];
          return [
            ...missing(`${where} header`, response.headers ?? {}, found.headers ?? {}),
            ...contentBreaks(schemas, where, response.content ?? {}, found.content ?? {}, received),
          ];
        }),
      ];
    }),
  );
}

function parameterBreaks(
  schemas: SchemaComparison,
  at: string,
  before: readonly Parameter[],
  now: readonly Parameter[],
  direction: Direction,
): string[] {
  const like = (all: readonly Parameter[], one: Parameter): Parameter | undefined =>
    all.find((other) => other.in === one.in && other.name === one.name);
  const required = now.filter((one) => one.required === true && like(before, one)?.required !== true);
  return [
    ...before.flatMap((old) => {
      const [where, current] = [`${at} ${old.in} ${old.name}`, like(now, old)];
      return current === undefined
        ? [`${where} is missing`]
        : schemas.breaks(where, old.schema, current.schema, direction);
    }),
    ...required.map((one) => `${at} requires ${one.in} ${one.name}`),
  ];
}

function bodyBreaks(
  schemas: SchemaComparison,
  at: string,
  before: Operation['requestBody'],
  now: Operation['requestBody'],
  direction: Direction,
): string[] {
  const isRequired = now?.required === true && before?.required !== true;
  return [
    ...(isRequired ? [`${at} requires a body`] : []),
    ...contentBreaks(schemas, `${at} body`, before?.content ?? {}, now?.content ?? {}, direction),
  ];
}

function contentBreaks(
  schemas: SchemaComparison,
  at: string,
  before: Content,
  now: Content,
  direction: Direction,
): string[] {
  return Object.entries(before).flatMap(([type, { schema: old }]) => {
    const current = now[type];
    if (current === undefined) return [`${at} as ${type} is missing`];
    if (old === undefined || current.schema === undefined) return [];
    return schemas.breaks(at, old, current.schema, direction);
  });
}

const missing = (what: string, before: object, now: object): string[] =>
  Object.keys(before)
    .filter((name) => !(name in now))
    .map((name) => `${what} ${name} is missing`);
