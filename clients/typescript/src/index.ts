export { ApiError } from './ApiError.js';
export { InvoicingClient } from './InvoicingClient.js';
export { verifyWebhook, WebhookVerificationError } from './verifyWebhook.js';
export type * from './generated/operations.gen.js';
