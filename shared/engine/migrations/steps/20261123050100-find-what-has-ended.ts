import { inStatements } from './Migration';

/**
 * Lets the clean-up find what it removes: ended jobs of one status, revoked and expired API keys, deleted webhook endpoints and
 * categories. The indexes are built while the tables are written to (`LOCK=NONE`).
 */
export default inStatements({
  up: [
    `ALTER TABLE jobs
      ADD KEY jobs_ended (status, endedAt), DROP KEY jobs_by_end,
      ALGORITHM=INPLACE, LOCK=NONE`,
    `ALTER TABLE api_keys
      ADD KEY api_keys_revoked (revokedAt), ADD KEY api_keys_expired (expiresAt),
      ALGORITHM=INPLACE, LOCK=NONE`,
    `ALTER TABLE webhook_endpoints
      ADD KEY webhook_endpoints_deleted (softDelete, updatedAt), ALGORITHM=INPLACE, LOCK=NONE`,
    `ALTER TABLE categories
      ADD KEY categories_deleted (softDelete, updatedAt, id), ALGORITHM=INPLACE, LOCK=NONE`,
  ],
  down: [
    'ALTER TABLE categories DROP KEY categories_deleted',
    'ALTER TABLE webhook_endpoints DROP KEY webhook_endpoints_deleted',
    'ALTER TABLE api_keys DROP KEY api_keys_revoked, DROP KEY api_keys_expired',
    'ALTER TABLE jobs DROP KEY jobs_ended, ADD KEY jobs_by_end (endedAt, id)',
  ],
});
