import { longRenderQueueName, type RedisQueueName } from '../../config/queues';
import type { Flow } from '../engine/jobs';

/**
 * A render is pure and cached by content, so it has no row in MySQL: only this BullMQ job. The worker stores the PDF
 * under the key of what it rendered and returns that key.
 */
export interface RenderInvoicePdf {
  companyId: number;
  invoiceId: number;
  /** The credit note of the invoice that is printed; absent or null: the invoice itself. */
  creditNoteId?: number | null;
  /** The key that was asked for; concurrent requests for it share the job. */
  documentKey: string;
  /** Shows a draft as it will be once it is sent. */
  asSent: boolean;
  /** Takes long to print ({@link isLongPrint}), or those of the company did lately. */
  isLong: boolean;
  /** The first request that asked for it, for the log; absent where there was none, and in entries of old processes. */
  requestId?: string | null;
  /** Under which the render continues the trace of that request. */
  traceparent?: string | null;
}

export const renderQueue = ({ isLong }: RenderInvoicePdf): RedisQueueName => (isLong ? longRenderQueueName : 'pdf');

/** The flow of a render in its queue. Every render has a waiting caller. */
export const renderFlow = ({ companyId }: RenderInvoicePdf): Flow => ({ companyId, isWaitedFor: true });

export const renderJobId = ({ companyId, documentKey }: RenderInvoicePdf): string => `pdf-${companyId}-${documentKey}`;
