import type { Pdf } from '../../shared/invoiceDocuments';
import { contentDisposition } from './contentDisposition';
import type { Call } from './routing/Call';
import type { RouteResponse } from './routing/RouteResponse';

/** Returns the response with a PDF as an attachment, rendered when it is not stored. */
export function pdfResponse({ turn }: Pick<Call, 'turn'>, { documentKey, open }: Pdf, fileName: string): RouteResponse {
  return {
    status: 200,
    headers: { 'Content-Disposition': contentDisposition(fileName), 'Cache-Control': 'private, no-cache' },
    stream: {
      contentType: 'application/pdf',
      etag: tagOf(documentKey),
      open: async (first) => {
        const { documentKey: opened, file } = await open(turn, first);
        return { ...file, etag: tagOf(opened) };
      },
    },
  };
}

/** Strong: rendered again, the same document has the same bytes. */
const tagOf = (documentKey: string): string => `"${documentKey}"`;

/** What a download of a PDF responds with, for the OpenAPI document. */
export const pdfSuccess = {
  headers: ['ETag', 'Content-Disposition', 'Accept-Ranges'],
  status: 200,
  description: 'The PDF',
  contentType: 'application/pdf',
} as const;

export const pdfFailures = { 503: 'The PDF is not cached and cannot be rendered at the moment.' };
