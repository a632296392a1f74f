import { longRenderQueueName, type RedisQueueName } from '../../config/queues';

/**
 * A render is pure and cached by content, so it has no row in MySQL: only this BullMQ job. The worker stores the PDF
 * under the key of what it rendered and answers that key.
 */
export interface RenderInvoicePdf {
  companyId: number;
  invoiceId: number;
  /** The key that was asked for; concurrent requests for it share the job. */
  documentKey: string;
  /** Shows a draft as it will be once it is sent. */
  asSent: boolean;
  /** Takes long to print ({@link isLongPrint}). */
  isLong: boolean;
  /** The first request that asked for it, for the log; absent where there was none, and in entries of old processes. */
  requestId?: string | null;
  /** Under which the render continues the trace of that request. */
  traceparent?: string | null;
}

export const renderQueue = ({ isLong }: RenderInvoicePdf): RedisQueueName => (isLong ? longRenderQueueName : 'pdf');

export const renderJobId = ({ companyId, documentKey }: RenderInvoicePdf): string => `pdf-${companyId}-${documentKey}`;
