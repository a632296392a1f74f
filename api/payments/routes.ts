import {
  listPayments,
  newPaymentBody,
  paymentBatches,
  type PaymentInput,
  paymentsPage,
  paymentsQuery,
  type PaymentsRequest,
  presentPayment,
  recordManualPayment,
  voidPayment,
} from '../../shared/payments';
import { linksQuery, type LinksRequest, listPaymentLinks, presentLink } from '../../shared/paymentLinks';
import { mapEach, mapPage } from '../../shared/engine/records';
import { listOf } from '../../shared/engine/schemas';
import { messageSchema } from '../http/message';
import { created, ok } from '../http/routing/RouteResponse';
import { route, type Route } from '../http/routing/Route';

const tag = 'Invoices';

/** Operations on the payments of an invoice, including those made elsewhere, and on its payment links. */
export const paymentRoutes: Route[] = [
  route<unknown, PaymentsRequest>({
    operationId: 'listInvoicePayments',
    method: 'GET',
    path: '/api/invoices/{id}/payments',
    scope: 'read',
    tag,
    summary: 'List the payments of an invoice, and its balance',
    query: paymentsQuery,
    example: { path: { id: 3 } },
    success: {
      status: 200,
      description: 'A page of its payments, with the balance of all of them',
      schema: paymentsPage,
    },
    handle: async ({ services, companyId, id, query }) => {
      const { data, balance, ...envelope } = await listPayments(services.sql, companyId, id, query);
      return ok({ data: data.map(presentPayment), ...envelope, balance });
    },
    csv: {
      kind: 'payments',
      row: presentPayment.schema,
      batches: ({ services, companyId, id, query }) =>
        mapEach(paymentBatches(services.sql, companyId, id, query), (rows) => rows.map(presentPayment)),
    },
  }),
  route<PaymentInput>({
    operationId: 'recordInvoicePayment',
    method: 'POST',
    path: '/api/invoices/{id}/payments',
    scope: 'write',
    tag,
    summary: 'Record a payment that was made elsewhere',
    body: newPaymentBody,
    example: { path: { id: 3 }, body: { amount: '1000000.00', method: 'bank transfer', reference: 'TRX-4711' } },
    success: { status: 201, description: 'The recorded payment', schema: presentPayment.schema },
    failures: { 409: 'The invoice is cancelled, or has the most payments that are allowed.' },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => created(presentPayment(await recordManualPayment(uow, call.id, call.body)))),
  }),
  route({
    operationId: 'voidInvoicePayment',
    method: 'DELETE',
    path: '/api/invoices/{id}/payments/{paymentId}',
    scope: 'write',
    tag,
    summary: 'Void a payment that was recorded by hand: it stays listed, and counts no more',
    example: { path: { id: 3, paymentId: 1 } },
    success: { status: 200, description: 'Voided', schema: messageSchema },
    failures: { 409: 'The gateway reported the payment.' },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => {
        await voidPayment(uow, call.id, call.params.paymentId ?? 0);
        return ok({ message: 'Payment voided successfully' });
      }),
  }),
  route<unknown, LinksRequest>({
    operationId: 'listInvoicePaymentLinks',
    method: 'GET',
    path: '/api/invoices/{id}/payment-links',
    scope: 'read',
    tag,
    summary: 'List every payment link that was made for an invoice',
    query: linksQuery,
    example: { path: { id: 2 } },
    success: { status: 200, description: 'A page of its links', schema: listOf(presentLink.schema) },
    handle: async ({ services, companyId, id, query }) =>
      ok(mapPage(await listPaymentLinks(services.sql, companyId, id, query), presentLink)),
  }),
];
