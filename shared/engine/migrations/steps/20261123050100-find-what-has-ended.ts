import { addKeys, inTurn, replaceKey } from './Migration';

/**
 * Lets the clean-up find what it removes: ended jobs of one status, revoked and expired API keys, deleted webhook endpoints and
 * categories.
 */
export default inTurn(
  replaceKey('jobs', ['jobs_by_end', 'endedAt, id'], ['jobs_ended', 'status, endedAt']),
  addKeys('api_keys', { api_keys_revoked: 'revokedAt', api_keys_expired: 'expiresAt' }),
  addKeys('webhook_endpoints', { webhook_endpoints_deleted: 'softDelete, updatedAt' }),
  addKeys('categories', { categories_deleted: 'softDelete, updatedAt, id' }),
);
