import { Readable } from 'node:stream';
import { NotFound } from '../../shared/engine/errors';
import type { OpenFile } from '../../shared/engine/files';
import type { Services } from '../../shared/services';
import { getReceipt, markReceiptStored, putReceipt, type ReceiptRecord, recogniseReceipt } from '../../shared/receipts';
import { contentDisposition } from '../http/contentDisposition';
import { presentReceipt, receiptSchema } from './present';
import { created } from '../http/routing/RouteResponse';
import { route, type Route } from '../http/routing/Route';

const tag = 'Receipts';
const MAX_BYTES = 10 * 1024 * 1024;

export const receiptRoutes: Route[] = [
  route({
    operationId: 'createReceipt',
    method: 'POST',
    path: '/api/receipts',
    scope: 'write',
    tag,
    summary: 'Store a receipt: one JPEG, PNG, WebP or PDF, recognised by its content; the same again has the same id',
    upload: { field: 'file', anyField: true, maxBytes: MAX_BYTES, check: recogniseReceipt },
    failures: { 409: '`limit_reached`: the receipts of the company have reached their limit.' },
    example: { body: { file: 'receipt.pdf' } },
    success: {
      headers: ['Location'],
      status: 201,
      description: 'Stored; `receiptUrl` is what an expense takes',
      schema: receiptSchema,
    },
    handle: async (call) => {
      const { services, upload, turn } = call;
      const id = await putReceipt(services, call, upload, await recogniseReceipt(upload, turn.meter));
      return call.inUnitOfWork(async (uow) => {
        const receipt = await markReceiptStored(uow, id);
        return created(presentReceipt(receipt, services.config.publicUrl), { Location: `/api/receipts/${id}` });
      });
    },
  }),
  route({
    operationId: 'downloadReceipt',
    method: 'GET',
    path: '/api/receipts/{id}',
    scope: 'read',
    tag,
    summary: 'Get a receipt: the file as it was sent',
    success: {
      headers: ['ETag', 'Content-Disposition', 'Accept-Ranges'],
      status: 200,
      description: 'The file',
      contentType: ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'],
    },
    handle: async ({ services, companyId, id }) => {
      const receipt = await getReceipt(services.sql, companyId, id);
      const { contentType, size } = receipt;
      return {
        status: 200,
        headers: inert(receipt),
        stream: {
          contentType,
          size,
          etag: `"${fileNameOf(receipt)}"`,
          open: (first) => openReceipt(services, receipt, first),
        },
      };
    },
  }),
];

/**
 * Returns headers with which a browser that opens the file runs and loads nothing. Pictures are shown inline. A PDF can have scripts and
 * links, so it is downloaded.
 */
function inert({ id, fileKey, contentType }: ReceiptRecord): Record<string, string> {
  const name = `receipt-${id}${fileKey.slice(fileKey.lastIndexOf('.'))}`;
  return {
    'Content-Disposition': contentDisposition(name, contentType === 'application/pdf' ? 'attachment' : 'inline'),
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'private, no-cache',
  };
}

/** The name is the hash of the content, with the extension of its type. */
function fileNameOf({ fileKey }: ReceiptRecord): string {
  return fileKey.slice(fileKey.lastIndexOf('/') + 1);
}

async function openReceipt(
  { files, log }: Services,
  { id, fileKey }: ReceiptRecord,
  first?: number,
): Promise<OpenFile> {
  const file = await files.open(fileKey, first);
  if (file === null) {
    log.error({ receiptId: id, fileKey }, 'the file of a receipt is not in the file store');
    throw new NotFound('receipt');
  }
  if (file.content instanceof Readable) {
    const failed = (error: Error): void => log.warn({ err: error, receiptId: id }, 'a receipt was sent only in part');
    file.content.on('error', failed);
  }
  return file;
}
