import type { ClientDocument } from './reduceDocument';

/**
 * Returns `operations.gen.ts`: the parameters and results of the client's methods, and the method and path of each
 * request.
 */
export function operationsFile({ paths, webhooks = {} }: ClientDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
  const methods = operations.flatMap(({ operationId, summary, description, deprecated, path, requestBody }) => {
    const isOptional = !path.includes('{') && requestBody?.required !== true;
    const [call, name] = [isOptional ? 'call?' : 'call', typeName(operationId)];
    return [
      `  /** ${summary}. ${description}${deprecated === true ? ' @deprecated' : ''} */`,
      `  ${operationId}(${call}: Call<${name}Data>): Promise<${name}Response>;`,
    ];
  });
  const lists = operations
    .filter(({ parameters = [] }) => parameters.some(({ name }) => name === 'cursor'))
    .map(({ operationId }) => `  ${operationId}: ${typeName(operationId)}Response['data'][number];`);
  const requests = operations.map(({ operationId, method, path }) => `  ${operationId}: '${method} ${path}',`);
  const payloads = Object.values(webhooks).map(({ post }) => {
    const { $ref } = post.requestBody?.content['application/json']?.schema ?? { $ref: '' };
    return `  | types.${$ref.split('/').at(-1)}`;
  });
  return [
    '// Written by `npm run client`.',
    "import type * as types from './types.gen.js';",
    "export type * from './types.gen.js';",
    '',
    '/** What any call takes. `idempotencyKey`: of a POST; a new one for each call unless it is given. */',
    'export interface CallOptions {',
    '  idempotencyKey?: string | undefined;',
    '  headers?: Readonly<Record<string, string>> | undefined;',
    '  signal?: AbortSignal | undefined;',
    '}',
    '',
    '/** Where to begin in the feed: after an event; `latest`: what happens from now on; absent: the oldest event that is kept. */',
    'export interface FeedOptions {',
    "  after?: number | 'latest';",
    '  types?: readonly string[];',
    '  signal?: AbortSignal;',
    '}',
    '',
    "export type Call<Data> = Omit<Data, 'url'> & CallOptions;",
    '',
    '/** The methods of the client, by operationId. */',
    'export interface Methods {',
    ...methods,
    '}',
    '',
    '/** The lists that can be read by cursor, and what is in them. */',
    'export interface Lists {',
    ...lists,
    '}',
    '',
    'export const operations: Readonly<Record<keyof Methods, string>> = {',
    ...requests,
    '};',
    '',
    '/** What a webhook says; `type` tells them apart. */',
    'export type WebhookPayload =',
    `${payloads.join('\n')};`,
    '',
    '/** An event of the feed. */',
    "export type FeedEvent = WebhookPayload['data'];",
    '',
  ].join('\n');
}

/** Returns the beginning of the names of an operation's types. */
const typeName = (operationId: string): string => `types.${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`;
