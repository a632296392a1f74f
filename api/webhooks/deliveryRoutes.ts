import {
  checkRange,
  DELIVERIES_COUNTED,
  deliveryQuery,
  type DeliveryQuery,
  type EventRange,
  getDelivery,
  listDeliveries,
  presentWebhookDelivery,
  replayDelivery,
  replayRange,
  sendTest,
} from '../../shared/webhooks';
import { mapPage } from '../../shared/engine/records';
import { awaitNumber } from '../events/awaitNumber';
import { listOf, named, requestBody, responseBody } from '../../shared/engine/schemas';
import type { RouteResponse } from '../http/routing/RouteResponse';
import { ok } from '../http/routing/RouteResponse';
import { route, type Route } from '../http/routing/Route';

const endpointPath = '/api/webhook-endpoints/{id}';
const shared = { scope: 'admin', tag: 'Webhooks' } as const;
const position = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, examples: [1_795_000_000_000_000] };
const notNow = { 409: 'The endpoint is disabled, or too many of its deliveries are pending.' };
const accepted = {
  status: 202,
  description: 'The delivery, which `Location` shows',
  schema: presentWebhookDelivery.schema,
  headers: ['Location'],
} as const;

const totalIsCapped = {
  type: 'boolean',
  description: `Whether there are more than ${DELIVERIES_COUNTED} deliveries: \`total\` is ${DELIVERIES_COUNTED} then.`,
};

export const deliveryRoutes: Route[] = [
  route<unknown, DeliveryQuery>({
    ...shared,
    operationId: 'listWebhookDeliveries',
    method: 'GET',
    path: `${endpointPath}/deliveries`,
    summary: 'List what was sent to a webhook endpoint and what became of it',
    query: deliveryQuery,
    success: {
      status: 200,
      description: 'A page of deliveries',
      schema: listOf(presentWebhookDelivery.schema, { totalIsCapped }),
    },
    handle: async ({ services, companyId, id, query }) =>
      ok(mapPage(await listDeliveries(services.sql, companyId, id, query), presentWebhookDelivery)),
  }),
  route({
    ...shared,
    operationId: 'getWebhookDelivery',
    method: 'GET',
    path: `${endpointPath}/deliveries/{deliveryId}`,
    summary: 'Get a delivery',
    success: { status: 200, description: 'The delivery', schema: presentWebhookDelivery.schema },
    handle: async ({ services, companyId, id, params }) =>
      ok(presentWebhookDelivery(await getDelivery(services.sql, companyId, id, params.deliveryId ?? 0))),
  }),
  route({
    ...shared,
    operationId: 'sendWebhookTest',
    method: 'POST',
    path: `${endpointPath}/test`,
    summary: 'Send a webhook endpoint an event of the type `webhook.test`',
    body: requestBody({}),
    success: accepted,
    failures: notNow,
    handle: (call) => call.inUnitOfWork(async (uow) => acceptedDelivery(call.id, await sendTest(uow, call.id))),
  }),
  route({
    ...shared,
    operationId: 'sendWebhookDeliveryAgain',
    method: 'POST',
    path: `${endpointPath}/deliveries/{deliveryId}/replay`,
    summary: 'Send the event of a delivery again, with the same `webhook-id`',
    body: requestBody({}),
    success: accepted,
    failures: notNow,
    handle: (call) =>
      call.inUnitOfWork(async (uow) =>
        acceptedDelivery(call.id, await replayDelivery(uow, call.id, call.params.deliveryId ?? 0)),
      ),
  }),
  route<EventRange>({
    ...shared,
    operationId: 'sendWebhookEventsAgain',
    method: 'POST',
    path: `${endpointPath}/replay`,
    summary:
      'Send the events after `after` up to and with `until` again, those of the endpoint’s types, each with its `webhook-id`',
    body: named('WebhookReplay', requestBody({ after: position, until: position }, { required: ['after', 'until'] })),
    check: (body) => checkRange(body as EventRange),
    example: { body: { after: 0, until: 1_795_000_000_000_000 } },
    success: {
      status: 202,
      description: 'They are sent again',
      schema: named(
        'WebhookReplayAccepted',
        responseBody({
          message: { type: 'string' },
          data: responseBody({ deliveries: { type: 'integer', minimum: 0 } }),
        }),
      ),
    },
    failures: notNow,
    handle: async (call) => {
      await awaitNumber(call, call.body.after);
      return call.inUnitOfWork(async (uow) => {
        const deliveries = await replayRange(uow, call.id, call.body);
        return { status: 202, body: { message: `Events that are sent again: ${deliveries}`, data: { deliveries } } };
      });
    },
  }),
];

function acceptedDelivery(endpointId: number, delivery: Parameters<typeof presentWebhookDelivery>[0]): RouteResponse {
  return {
    status: 202,
    headers: { Location: `/api/webhook-endpoints/${endpointId}/deliveries/${delivery.id}` },
    body: presentWebhookDelivery(delivery),
  };
}
