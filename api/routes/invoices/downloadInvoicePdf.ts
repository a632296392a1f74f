import { route, type Route } from '../../routing/Route';
import { invoicePdf } from '../../../shared/usecases/invoices/invoicePdf';
import { contentDisposition } from '../../presenters/contentDisposition';

export const downloadInvoicePdf: Route = route({
  method: 'GET',
  path: '/api/invoices/{id}/pdf',
  scope: 'read',
  tag: 'Invoices',
  summary: 'Download the invoice as a PDF',
  success: { status: 200, description: 'The PDF', contentType: 'application/pdf' },
  failures: { 503: 'The PDF is not cached and cannot be rendered at the moment.' },
  handle: async ({ services, companyId, id, place }) => {
    const { invoiceNumber, open } = await invoicePdf(services, companyId, id, () => place.turnToRender());
    return {
      status: 200,
      headers: { 'Content-Disposition': contentDisposition(`invoice-${invoiceNumber}.pdf`) },
      stream: { contentType: 'application/pdf', open: () => place.aside(open) },
    };
  },
});
