import { route, type Route } from '../http/routing/Route';
import { invoicePdf } from '../../shared/invoiceDocuments';
import { contentDisposition } from '../http/contentDisposition';

export const downloadInvoicePdf: Route = route({
  operationId: 'downloadInvoicePdf',
  method: 'GET',
  path: '/api/invoices/{id}/pdf',
  scope: 'read',
  tag: 'Invoices',
  summary: 'Download the invoice as a PDF',
  success: {
    headers: ['ETag', 'Content-Disposition', 'Accept-Ranges'],
    status: 200,
    description: 'The PDF',
    contentType: 'application/pdf',
  },
  failures: { 503: 'The PDF is not cached and cannot be rendered at the moment.' },
  handle: async (call) => {
    const { services, id, turn } = call;
    const { invoiceNumber, documentKey, open } = await invoicePdf(services, call, id);
    return {
      status: 200,
      headers: {
        'Content-Disposition': contentDisposition(`invoice-${invoiceNumber}.pdf`),
        'Cache-Control': 'private, no-cache',
      },
      stream: {
        contentType: 'application/pdf',
        etag: tagOf(documentKey),
        open: async (first) => {
          const { documentKey: opened, file } = await turn.aside(() => open(first));
          return { ...file, etag: tagOf(opened) };
        },
      },
    };
  },
});

/** Strong: rendered again, the same document has the same bytes. */
const tagOf = (documentKey: string): string => `"${documentKey}"`;
