import { type EmailRequest, emailRequest, requestInvoiceEmail } from '../../shared/emails';
import {
  checkInvoiceBody,
  createInvoice,
  deleteInvoice,
  getInvoice,
  invoice,
  invoiceKind,
  invoiceList,
  presentInvoice,
  presentInvoiceInList,
  updateInvoice,
} from '../../shared/invoices';
import { boolean, named, requestBody } from '../../shared/engine/schemas';
import { requestPaymentLink } from '../../shared/payments';
import { emailFailures, emailResponse, emailSent } from '../http/emailResponse';
import { recordRoutes } from '../http/recordRoutes';
import { ok } from '../http/routing/RouteResponse';
import { route, type Route } from '../http/routing/Route';
import { downloadInvoicePdf } from './downloadInvoicePdf';
import { paymentLinkSchema, presentPaymentLink } from './presentPaymentLink';

const tag = 'Invoices';

export const invoiceRoutes: Route[] = [
  ...recordRoutes({
    kind: invoiceKind,
    list: invoiceList,
    record: invoice,
    tag,
    names: { one: 'Invoice', many: 'Invoices' },
    summaries: {
      create: 'Create an invoice',
      get: 'Get an invoice',
      update: 'Update an invoice: only supplied fields change, supplied items replace all',
      delete: 'Soft-delete an invoice',
    },
    present: { listed: presentInvoiceInList, alone: presentInvoice, changed: presentInvoice },
    check: checkInvoiceBody,
    create: createInvoice,
    update: updateInvoice,
    delete: deleteInvoice,
    conflict: 'The invoice number, or the external id, is already used.',
    examples: {
      list: { status: 'sent', limit: 5 },
      create: {
        clientId: 1,
        issueDate: '2027-01-15',
        dueDate: '2027-02-14',
        taxRate: 11,
        items: [{ description: 'Consulting', quantity: 2, unitPrice: '1500000.00' }],
      },
      get: 3,
      update: [5, { notes: 'Payable within 30 days. Thank you.' }],
      delete: 5,
    },
  }),
  route<EmailRequest>({
    operationId: 'sendInvoiceEmail',
    method: 'POST',
    path: '/api/invoices/{id}/send-email',
    scope: 'write',
    tag,
    summary: 'E-mail the invoice, to its client if no other address is given; a draft becomes sent',
    body: emailRequest,
    example: { path: { id: 3 }, body: { message: 'Thank you for your order.' } },
    success: {
      status: 200,
      description: 'The provider has accepted the message',
      schema: emailSent,
    },
    failures: {
      ...emailFailures,
      404: 'The invoice or the sender information is not found.',
      409: 'The invoice is cancelled.',
    },
    handle: (call) => emailResponse(call, 'Invoice', (uow) => requestInvoiceEmail(uow, call.id, call.body)),
  }),
  route<{ regenerate?: boolean }>({
    operationId: 'createPaymentLink',
    method: 'POST',
    path: '/api/invoices/{id}/create-gateway-invoice',
    scope: 'write',
    tag,
    summary: 'Create a payment link, or return the usable one',
    body: named('PaymentLinkRequest', requestBody({ regenerate: boolean })),
    example: { path: { id: 2 }, body: { regenerate: false } },
    success: { status: 200, description: 'The invoice has a payment link', schema: paymentLinkSchema },
    failures: {
      202: 'The job has not ended yet; `Location` shows it.',
      409: 'The invoice is paid or cancelled, there is nothing to pay, a payment is on its way, or `limit_reached`: it had 1,000 links.',
      502: 'The gateway refused the request.',
      504: 'The gateway did not respond.',
    },
    handle: (call) => {
      const { services, companyId, id } = call;
      const { provider: defaultProvider } = services.config.gateway;
      return call.inJob(
        (uow) => requestPaymentLink(uow, id, { defaultProvider, regenerate: call.body.regenerate ?? false }),
        async () => ok(presentPaymentLink(await getInvoice(services.sql, companyId, id))),
      );
    },
  }),
  downloadInvoicePdf,
];
