import {
  checkEndpointBody,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  presentEndpointWithSecret,
  presentWebhookEndpoint,
  rotateSecret,
  updateWebhookEndpoint,
  webhookEndpoint,
  webhookEndpointKind,
  webhookEndpointList,
} from '../../shared/webhooks';
import { requestBody } from '../../shared/engine/schemas';
import { recordRoutes } from '../http/recordRoutes';
import { ok } from '../http/routing/RouteResponse';
import { route, type Route } from '../http/routing/Route';
import { deliveryRoutes } from './deliveryRoutes';

const tag = 'Webhooks';

export const webhookRoutes: Route[] = [
  ...recordRoutes({
    kind: webhookEndpointKind,
    list: webhookEndpointList,
    record: webhookEndpoint,
    tag,
    scope: 'admin',
    names: { one: 'WebhookEndpoint', many: 'WebhookEndpoints' },
    summaries: {
      create: 'Create a webhook endpoint: it is sent what happens from now on. Only this response shows its secret',
      get: 'Get a webhook endpoint',
      update: 'Update a webhook endpoint: only supplied fields change. One that is disabled is sent nothing',
      delete: 'Soft-delete a webhook endpoint: its pending deliveries end',
    },
    present: { listed: presentWebhookEndpoint, alone: presentWebhookEndpoint, changed: presentWebhookEndpoint },
    presentNew: presentEndpointWithSecret,
    check: checkEndpointBody,
    create: createWebhookEndpoint,
    update: updateWebhookEndpoint,
    delete: deleteWebhookEndpoint,
    examples: {
      list: { limit: 5 },
      create: { url: 'https://shop.example.com/invoicing-events', types: ['invoice.*', 'payment.received'] },
      get: 1,
      update: [1, { enabled: true }],
      delete: 2,
    },
    conflict: '`limit_reached`: the company has as many webhook endpoints as it can have.',
  }),
  route({
    operationId: 'createWebhookSecret',
    method: 'POST',
    path: '/api/webhook-endpoints/{id}/rotate-secret',
    scope: 'admin',
    tag,
    summary: 'Give a webhook endpoint a new secret: for 24 hours the one before signs too',
    body: requestBody({}),
    secretResponse: true,
    success: {
      status: 200,
      description: 'The webhook endpoint with its new secret',
      schema: presentEndpointWithSecret.schema,
    },
    handle: (call) =>
      call.inUnitOfWork(async (uow) =>
        ok(presentEndpointWithSecret(await rotateSecret(uow, call.id, call.services.secrets))),
      ),
  }),
  ...deliveryRoutes,
];
