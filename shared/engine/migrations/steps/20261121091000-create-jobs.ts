import { createRecordTable } from './Migration';

export default createRecordTable(
  'jobs',
  `
    name VARCHAR(64) NOT NULL,
    queue VARCHAR(32) NOT NULL,
    payload TEXT NOT NULL,
    dedupeKey VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
    status VARCHAR(16) NOT NULL,
    attempt INT UNSIGNED NOT NULL DEFAULT 0,
    maxAttempt INT UNSIGNED NOT NULL,
    availableAt DATETIME(3) NOT NULL,
    leaseUntil DATETIME(3) NULL,
    relayAt DATETIME(3) NOT NULL,
    result TEXT NULL,
    lastError TEXT NULL,
    startedAt DATETIME(3) NULL,
    endedAt DATETIME(3) NULL,
    UNIQUE KEY jobs_dedupe_key (companyId, dedupeKey),
    KEY jobs_to_relay (status, relayAt, id),
    KEY jobs_by_end (endedAt, id)
  `,
);
