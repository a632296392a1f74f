import { providerNames } from '../../../config/paymentProviders';
import { messageSchema } from '../message';
import type { Route } from '../routing/Route';
import { named, responseBody } from '../../../shared/engine/schemas';
import { failureComponents, problemResponse, problemSchema } from './failures';
import { headerComponents } from './headers';
import { json, operationOf } from './operation';
import { Schemas } from './Schemas';
import { tags } from './tags';
import { webhooksOf } from './webhooks';

/** Returns the OpenAPI 3.1 document of a table of routes, made from the schemas that validate the requests. */
export function openApiDocument(routes: readonly Route[], serverUrl: string): object {
  const schemas = new Schemas();
  schemas.show(problemSchema, 'response');
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, schemas) };
  }
  Object.assign(paths, publicPaths(schemas));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Invoicing and expense service',
      version: '1',
      description: 'Money is exact, effects happen once, every error has the same shape (RFC 9457).',
      contact: { name: 'Who runs this installation', url: serverUrl },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhooksOf(schemas),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of a company: `Authorization: Bearer inv_…`.',
        },
      },
      headers: headerComponents([paths, failureComponents]),
      responses: failureComponents,
      schemas: schemas.components,
    },
  };
}

const healthSchema = named('Health', responseBody({ status: { type: 'string' } }));
const readinessSchema = named(
  'Readiness',
  responseBody({
    status: { type: 'string' },
    clockOffsetMs: {
      type: ['integer', 'null'],
      description:
        'Milliseconds by which the clock of MySQL, which decides what is due, is ahead of that of this machine.',
    },
  }),
);

/** Returns the operations that need no API key. */
function publicPaths(schemas: Schemas): Record<string, Record<string, object>> {
  const open = { security: [] as object[], tags: ['Service'] };
  const otherMethods = { 405: { $ref: '#/components/responses/MethodNotAllowed' } };
  return {
    '/healthz': {
      get: {
        ...open,
        operationId: 'checkHealth',
        summary: 'The process is alive',
        description: 'Looks at nothing else: restart a process that does not respond.',
        responses: {
          200: { description: 'Alive', content: json(schemas.show(healthSchema, 'response')) },
          ...otherMethods,
        },
      },
    },
    '/readyz': {
      get: {
        ...open,
        operationId: 'checkReadiness',
        summary: 'MySQL, its migrations, the file store and Redis are there',
        description: 'Send requests only to processes that are ready.',
        responses: {
          200: { description: 'Ready', content: json(schemas.show(readinessSchema, 'response')) },
          ...otherMethods,
          503: problemResponse(503, 'Something is missing.'),
        },
      },
    },
    '/webhooks/email/sendgrid': {
      post: {
        ...open,
        operationId: 'receiveSendGridEvents',
        summary: "Takes the events of SendGrid's Event Webhook, signed ones only",
        description: 'For SendGrid alone. Each event is processed once; those about no e-mail of ours are ignored.',
        requestBody: { required: true, content: json({ type: 'array', items: { type: 'object' } }) },
        responses: {
          200: { description: 'Received', content: json(schemas.show(messageSchema, 'response')) },
          400: problemResponse(400, 'The body is not a list of events.'),
          401: problemResponse(401, 'The request is not signed by SendGrid, or is too old.'),
          ...otherMethods,
        },
      },
    },
    '/webhooks/gateway/{provider}': {
      post: {
        ...open,
        operationId: 'receiveGatewayCallback',
        summary: 'Takes the callbacks of a payment gateway, authentic ones only',
        description: 'For the gateway alone. A callback is a hint to ask the gateway itself.',
        parameters: [{ name: 'provider', in: 'path', required: true, schema: { type: 'string', enum: providerNames } }],
        requestBody: { required: true, content: json({ type: 'object' }) },
        responses: {
          200: { description: 'Received', content: json(schemas.show(messageSchema, 'response')) },
          401: problemResponse(401, 'The callback does not prove that it is authentic.'),
          ...otherMethods,
        },
      },
    },
  };
}
