import { mapPage } from '../../../shared/usecases/page';
import { createInvoice } from '../../../shared/usecases/invoices/createInvoice';
import { deleteInvoice } from '../../../shared/usecases/invoices/deleteInvoice';
import { getInvoice } from '../../../shared/usecases/invoices/getInvoice';
import type { InvoiceChanges, InvoiceInput } from '../../../shared/usecases/invoices/InvoiceInput';
import type { InvoiceRecord } from '../../../shared/usecases/invoices/InvoiceRecord';
import { entityTag } from '../../../shared/usecases/entityTag';
import { listInvoices, type InvoiceListRequest } from '../../../shared/usecases/invoices/listInvoices';
import { requestInvoiceEmail } from '../../../shared/usecases/invoices/requestInvoiceEmail';
import { requestPaymentLink } from '../../../shared/usecases/invoices/requestPaymentLink';
import { updateInvoice } from '../../../shared/usecases/invoices/updateInvoice';
import type { SendInvoiceEmailResult } from '../../../shared/jobs/sendInvoiceEmail';
import {
  invoiceInListSchema,
  invoiceResponseSchema,
  paymentLinkSchema,
  presentInvoice,
  presentInvoiceInList,
  presentPaymentLink,
} from '../../presenters/invoice';
import { messageSchema } from '../../presenters/message';
import { created, ok, route, type Answer, type Route } from '../../routing/Route';
import { getQuery, responseBody } from '../../validation/fields';
import { optionalDay, pageRequest } from '../../validation/listRequest';
import { downloadInvoicePdf } from './downloadInvoicePdf';
import {
  checkInvoiceBody,
  createInvoiceBody,
  createPaymentLinkBody,
  listInvoicesQuery,
  noBody,
  updateInvoiceBody,
} from './requests';

type PageFields = 'page' | 'limit' | 'sortBy' | 'sortOrder';
type Optional<T> = { [K in keyof T]?: NonNullable<T[K]> };
type ListQuery = Pick<InvoiceListRequest, PageFields> & Optional<Omit<InvoiceListRequest, PageFields>>;

const tag = 'Invoices';
const withETag = (invoice: InvoiceRecord): Record<string, string> => ({
  ETag: entityTag(invoice.updatedAt, invoice.clientUpdatedAt),
});

export const invoiceRoutes: Route[] = [
  route<unknown, ListQuery>({
    method: 'GET',
    path: '/api/invoices',
    scope: 'read',
    tag,
    summary: 'List invoices',
    query: listInvoicesQuery,
    success: { status: 200, description: 'A page of invoices', schema: invoiceInListSchema },
    handle: async ({ services, companyId, query }) => {
      const page = await listInvoices(services.sql, companyId, toListRequest(query));
      return ok(mapPage(page, presentInvoiceInList));
    },
  }),
  route<InvoiceInput>({
    method: 'POST',
    path: '/api/invoices',
    scope: 'write',
    tag,
    summary: 'Create an invoice',
    body: createInvoiceBody,
    check: checkInvoiceBody,
    success: { status: 201, description: 'The created invoice', schema: invoiceResponseSchema },
    failures: { 409: 'The invoice number is already used.' },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => {
        const invoice = await createInvoice(uow, call.body);
        return created(presentInvoice(invoice), { Location: `/api/invoices/${invoice.id}`, ...withETag(invoice) });
      }),
  }),
  route<unknown, { includeDeleted: boolean }>({
    method: 'GET',
    path: '/api/invoices/{id}',
    scope: 'read',
    tag,
    summary: 'Get an invoice',
    query: getQuery,
    success: { status: 200, description: 'The invoice', schema: invoiceResponseSchema },
    handle: async ({ services, companyId, id, query }) => {
      const invoice = await getInvoice(services.sql, companyId, id, query);
      return ok(presentInvoice(invoice), withETag(invoice));
    },
  }),
  route<InvoiceChanges>({
    method: 'PUT',
    path: '/api/invoices/{id}',
    scope: 'write',
    tag,
    summary: 'Update an invoice: only supplied fields change, supplied items replace all',
    body: updateInvoiceBody,
    check: checkInvoiceBody,
    success: { status: 200, description: 'The updated invoice', schema: invoiceResponseSchema },
    failures: { 409: 'The invoice number is already used.', 412: '`If-Match` does not match.' },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => {
        const invoice = await updateInvoice(uow, call.id, call.body, call.preconditions.ifMatch);
        return ok(presentInvoice(invoice), withETag(invoice));
      }),
  }),
  route({
    method: 'DELETE',
    path: '/api/invoices/{id}',
    scope: 'write',
    tag,
    summary: 'Soft-delete an invoice',
    success: { status: 200, description: 'Deleted', schema: messageSchema },
    failures: { 412: '`If-Match` does not match.' },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => {
        await deleteInvoice(uow, call.id, call.preconditions.ifMatch);
        return ok({ message: 'Invoice deleted successfully' });
      }),
  }),
  route({
    method: 'POST',
    path: '/api/invoices/{id}/send-email',
    scope: 'write',
    tag,
    summary: 'E-mail the invoice to its client; a draft becomes sent',
    body: noBody,
    success: {
      status: 200,
      description: 'The provider has accepted the message',
      schema: responseBody({ message: { type: 'string' }, data: responseBody({ id: { type: 'string' } }) }),
    },
    failures: {
      202: 'The job has not ended yet; `Location` shows it.',
      400: 'The client has no e-mail address.',
      404: 'The invoice or the sender information is not found.',
      409: 'The invoice is cancelled.',
      502: 'The mail provider refused the message.',
      504: 'The mail provider did not answer, or the delivery is uncertain (`delivery_uncertain`).',
    },
    handle: (call) =>
      call.inJob(
        (uow) => requestInvoiceEmail(uow, call.id),
        (result) => Promise.resolve(emailSent(result as SendInvoiceEmailResult)),
      ),
  }),
  route<{ regenerate?: boolean }>({
    method: 'POST',
    path: '/api/invoices/{id}/create-gateway-invoice',
    scope: 'write',
    tag,
    summary: 'Create a payment link, or answer the usable one',
    body: createPaymentLinkBody,
    success: { status: 200, description: 'The invoice has a payment link', schema: paymentLinkSchema },
    failures: {
      202: 'The job has not ended yet; `Location` shows it.',
      409: 'The invoice is paid or cancelled, or there is nothing to pay.',
      502: 'The gateway refused the request.',
      504: 'The gateway did not answer.',
    },
    handle: (call) => {
      const { services, companyId, id } = call;
      const { provider } = services.config.gateway;
      return call.inJob(
        (uow) => requestPaymentLink(uow, id, { provider, regenerate: call.body.regenerate ?? false }),
        async () => ok(presentPaymentLink(await getInvoice(services.sql, companyId, id))),
      );
    },
  }),
  downloadInvoicePdf,
];

function emailSent({ emailId }: SendInvoiceEmailResult): Answer {
  return ok({ message: 'Invoice e-mailed successfully', data: { id: emailId } });
}

function toListRequest(query: ListQuery): InvoiceListRequest {
  const { status, search, clientId, currency, includeDeleted } = query;
  const { page, limit, sortBy, sortOrder } = pageRequest(query);
  return {
    page,
    limit,
    sortBy,
    sortOrder,
    status: (status ?? 'all') === 'all' ? null : (status ?? null),
    search: search ?? null,
    clientId: clientId ?? null,
    currency: currency ?? null,
    issueDateFrom: optionalDay(query.issueDateFrom),
    issueDateTo: optionalDay(query.issueDateTo),
    dueDateFrom: optionalDay(query.dueDateFrom),
    dueDateTo: optionalDay(query.dueDateTo),
    includeDeleted: includeDeleted ?? false,
  };
}
