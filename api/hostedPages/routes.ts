import { pagePath, revokePage, tokenOfPage } from '../../shared/hostedPages';
import { named, responseBody } from '../../shared/engine/schemas';
import { messageSchema } from '../http/message';
import { ok } from '../http/routing/RouteResponse';
import { route, type Route } from '../http/routing/Route';

const path = '/api/invoices/{id}/hosted-page';
const tag = 'Invoices';

/** Operations on the address of an invoice's page. `invoicePages.ts` serves the page. */
export const hostedPageRoutes: Route[] = [
  route({
    operationId: 'getHostedPage',
    method: 'GET',
    path,
    scope: 'read',
    tag,
    summary: 'Get the address of the page on which the client sees and pays the invoice',
    example: { path: { id: 3 } },
    success: {
      status: 200,
      description: 'The address, made on first use. The page of a draft is 404 until the invoice is sent.',
      schema: named('HostedPage', responseBody({ url: { type: 'string', format: 'uri' } })),
    },
    handle: ({ services, id, ...call }) =>
      services.perform(call, async (uow) =>
        ok({ url: services.config.publicUrl + pagePath(await tokenOfPage(uow, id)) }),
      ),
  }),
  route({
    operationId: 'revokeHostedPage',
    method: 'DELETE',
    path,
    scope: 'write',
    tag,
    summary: 'Revoke the address of the page: links that were sent are 404 from now on',
    example: { path: { id: 3 } },
    success: { status: 200, description: 'The address is revoked', schema: messageSchema },
    handle: ({ services, id, ...call }) =>
      services.perform(call, async (uow) => {
        await revokePage(uow, id);
        return ok({ message: 'The address of the page is revoked' });
      }),
  }),
];
