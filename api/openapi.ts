import type { SchemaObject } from 'ajv';
import { MAX_PROBLEMS } from '../shared/errors';
import { messageSchema } from './presenters/message';
import type { Route } from './routing/Route';
import { responseBody } from './validation/fields';

const json = (schema: SchemaObject): object => ({ 'application/json': { schema } });

const problem: SchemaObject = {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'detail', 'message', 'requestId'],
  additionalProperties: false,
  properties: {
    type: { type: 'string', const: 'about:blank' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', description: 'Stable; programs decide by it.' },
    detail: { type: 'string' },
    message: { type: 'string', description: 'The same as detail.' },
    errors: {
      type: 'array',
      maxItems: MAX_PROBLEMS,
      description: 'On validation failures: what is wrong with which field; the first ones where there is more.',
      items: responseBody({ path: { type: 'string', example: 'items/0/quantity' }, message: { type: 'string' } }),
    },
    requestId: { type: 'string' },
  },
};

/** What any operation may answer beside its own. */
const sharedFailures: Record<number, string> = {
  400: 'Malformed JSON, a field or query value that is not valid, an unknown body field, an id that is not all digits.',
  401: 'No usable API key.',
  403: 'The key lacks the scope.',
  429: 'Too many requests; `Retry-After` says when to come again.',
  500: 'A fault of ours; the log has it under the request id.',
  503: 'MySQL, Redis or the file store is unavailable, or the process is overloaded; `Retry-After` says when to retry.',
};
const recordFailures: Record<number, string> = {
  404: 'No such record (or it is deleted, or of another company).',
};
const bodyFailures: Record<number, string> = {
  408: 'The body came too slowly.',
  413: 'The body is too large.',
  415: 'The body has another content type.',
};
const keyFailures: Record<number, string> = {
  409: 'A request with this Idempotency-Key has not been answered yet.',
  422: 'This Idempotency-Key was used with another request.',
};

const header = (name: string, description: string): object => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

/** The OpenAPI 3.1 document of a table of routes, made from the very schemas that requests are checked against. */
export function openApiDocument(routes: readonly Route[], serverUrl: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Invoicing and expense service',
      version: '1',
      description: 'Money is exact, effects happen once, every error has the same shape (RFC 9457).',
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    paths: { ...paths, ...publicPaths },
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: problem },
    },
  };
}

function operationOf(route: Route): object {
  const { method, path, summary, tag, scope, success } = route;
  return {
    operationId: operationId(route),
    summary,
    tags: [tag],
    description: `Scope: \`${scope}\`.`,
    parameters: [...pathParameters(path), ...queryParameters(route.query), ...headerParameters(route)],
    ...requestBodyOf(route),
    responses: {
      [success.status]: successOf(success),
      ...failureResponses({
        ...sharedFailures,
        ...(path.includes('{') ? recordFailures : {}),
        ...(route.body || route.upload ? bodyFailures : {}),
        ...(method === 'POST' ? keyFailures : {}),
        ...route.failures,
      }),
    },
  };
}

/** `POST /api/invoices/{id}/send-email` is `postInvoicesIdSendEmail`. */
function operationId({ method, path }: Route): string {
  const words = path
    .replace(/^\/api\//, '')
    .split(/[^A-Za-z]+/)
    .filter(Boolean);
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function pathParameters(path: string): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  }));
}

function queryParameters(query: SchemaObject | undefined): object[] {
  const properties = (query?.properties ?? {}) as Record<string, SchemaObject>;
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema }));
}

function headerParameters({ method, failures = {} }: Route): object[] {
  const parameters: object[] = [];
  if (method === 'POST') {
    parameters.push(
      header('Idempotency-Key', '1 to 255 characters: the same request under it is answered the same, once.'),
    );
  }
  if (412 in failures) parameters.push(header('If-Match', 'The ETag of the version to change.'));
  if (202 in failures) parameters.push(header('Prefer', '`respond-async` answers 202 at once.'));
  return parameters;
}

function requestBodyOf({ body, upload }: Route): object {
  if (upload) {
    const file = { type: 'string', contentMediaType: 'application/octet-stream' };
    const schema = { type: 'object', required: [upload.field], properties: { [upload.field]: file } };
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } };
  }
  if (body === undefined) return {};
  const required = ((body.required ?? []) as string[]).length > 0;
  return { requestBody: { required, content: json(body) } };
}

function successOf({ description, schema, contentType }: Route['success']): object {
  const headers = { 'X-Request-Id': { schema: { type: 'string' } } };
  if (schema) return { description, headers, content: json(schema) };
  const types = [contentType ?? 'application/octet-stream'].flat();
  const content = Object.fromEntries(
    types.map((type) => [type, { schema: { type: 'string', contentMediaType: type } }]),
  );
  return { description, headers, content };
}

function failureResponses(failures: Record<number, string>): Record<string, object> {
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  const accepted = responseBody({
    message: { type: 'string' },
    data: responseBody({ jobId: { type: 'integer' } }),
  });
  return Object.fromEntries(
    Object.entries(failures).map(([status, description]) => [
      status,
      status === '202' ? { description, content: json(accepted) } : { description, content },
    ]),
  );
}

const open = { security: [] as object[], tags: ['Service'] };
const statusSchema = responseBody({ status: { type: 'string' } });
const readySchema = responseBody({
  status: { type: 'string' },
  clockOffsetMs: {
    type: ['integer', 'null'],
    description:
      'milliseconds by which the clock of MySQL, which decides what is due, is ahead of that of this machine',
  },
});
const publicPaths = {
  '/healthz': {
    get: {
      ...open,
      operationId: 'getHealthz',
      summary: 'The process is alive',
      responses: { 200: { description: 'Alive', content: json(statusSchema) } },
    },
  },
  '/readyz': {
    get: {
      ...open,
      operationId: 'getReadyz',
      summary: 'MySQL, its migrations, the file store and Redis are there',
      responses: {
        200: { description: 'Ready', content: json(readySchema) },
        ...failureResponses({ 503: 'Something is missing.' }),
      },
    },
  },
  '/webhooks/gateway/{provider}': {
    post: {
      ...open,
      operationId: 'postGatewayCallback',
      summary: 'Takes the callbacks of a payment gateway, authentic ones only',
      parameters: [{ name: 'provider', in: 'path', required: true, schema: { type: 'string', enum: ['xendit'] } }],
      requestBody: { required: true, content: json({ type: 'object' }) },
      responses: {
        200: { description: 'Received', content: json(messageSchema) },
        ...failureResponses({ 401: 'The callback does not prove that it is authentic.' }),
      },
    },
  },
};
