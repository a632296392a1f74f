import { addKeys, inStatements, inTurn } from './Migration';

/**
 * Lets the clean-up find what it removes: ended jobs of one status, revoked and expired API keys, deleted webhook endpoints and
 * categories.
 */
export default inTurn(
  inStatements({
    up: ['ALTER TABLE jobs ADD KEY jobs_ended (status, endedAt), DROP KEY jobs_by_end, ALGORITHM=INPLACE, LOCK=NONE'],
    down: ['ALTER TABLE jobs DROP KEY jobs_ended, ADD KEY jobs_by_end (endedAt, id)'],
  }),
  addKeys('api_keys', { api_keys_revoked: 'revokedAt', api_keys_expired: 'expiresAt' }),
  addKeys('webhook_endpoints', { webhook_endpoints_deleted: 'softDelete, updatedAt' }),
  addKeys('categories', { categories_deleted: 'softDelete, updatedAt, id' }),
);
