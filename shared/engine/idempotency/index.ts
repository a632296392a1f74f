/** Idempotency keys: a repeated request gets the stored response. */
export { IdempotencyKey } from './IdempotencyKey';
export { IdempotentRequest, type StoredResponse } from './IdempotentRequest';
export { requestHash } from './requestHash';
export { responseCipher } from './responseCipher';
export { IdempotencyUsage, removeUsage } from './usage';
