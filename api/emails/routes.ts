import {
  type EmailsRequest,
  emailsQuery,
  getEmail,
  listEmails,
  presentEmail,
  settleEmail,
  type SettleOutcome,
  settleOutcomes,
} from '../../shared/emails';
import { mapPage, requireRecord } from '../../shared/engine/records';
import { listOf, named, oneOf, requestBody } from '../../shared/engine/schemas';
import { ok } from '../http/routing/RouteResponse';
import { route, type Route } from '../http/routing/Route';

const tag = 'Invoices';

/** Operations on the e-mails of an invoice: lists them, and settles one that is uncertain. */
export const emailRoutes: Route[] = [
  route<unknown, EmailsRequest>({
    operationId: 'listInvoiceEmails',
    method: 'GET',
    path: '/api/invoices/{id}/emails',
    scope: 'read',
    tag,
    summary: 'List the e-mails of an invoice, and what became of each',
    query: emailsQuery,
    example: { path: { id: 3 } },
    success: { status: 200, description: 'A page of its e-mails', schema: listOf(presentEmail.schema) },
    handle: async ({ services, companyId, id, query }) =>
      ok(mapPage(await listEmails(services.sql, companyId, id, query), presentEmail)),
  }),
  route<{ outcome: SettleOutcome }>({
    operationId: 'settleInvoiceEmail',
    method: 'POST',
    path: '/api/invoices/{id}/emails/{emailId}/settle',
    scope: 'write',
    tag,
    summary: 'Record what became of an e-mail whose delivery is uncertain',
    body: named(
      'EmailSettlement',
      requestBody({ outcome: oneOf('EmailOutcome', settleOutcomes) }, { required: ['outcome'] }),
    ),
    example: { path: { id: 3, emailId: 1 }, body: { outcome: 'sent' } },
    success: { status: 200, description: 'The settled e-mail', schema: presentEmail.schema },
    failures: { 409: 'It is known already what became of the e-mail.' },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => {
        const { companyId, id, params, body } = call;
        const emailId = params.emailId ?? 0;
        await requireRecord(uow.sql, companyId, { name: 'invoice', table: 'invoices' }, id);
        await settleEmail(uow, emailId, body.outcome, id);
        return ok(presentEmail(await getEmail(uow.sql, companyId, id, emailId)));
      }),
  }),
];
