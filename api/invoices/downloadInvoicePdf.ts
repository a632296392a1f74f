import { invoicePdf } from '../../shared/invoiceDocuments';
import { pdfFailures, pdfResponse, pdfSuccess } from '../http/pdfResponse';
import { route, type Route } from '../http/routing/Route';

export const downloadInvoicePdf: Route = route({
  operationId: 'downloadInvoicePdf',
  method: 'GET',
  path: '/api/invoices/{id}/pdf',
  scope: 'read',
  tag: 'Invoices',
  summary: 'Download the invoice as a PDF',
  example: { path: { id: 3 } },
  success: pdfSuccess,
  failures: pdfFailures,
  handle: async (call) => {
    const pdf = await invoicePdf(call.services, call, call.id);
    return pdfResponse(call, pdf, `invoice-${pdf.number}.pdf`);
  },
});
