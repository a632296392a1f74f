import { createTable } from './Migration';

export default createTable(
  'idempotency_keys',
  `
    companyId BIGINT UNSIGNED NOT NULL,
    idempotencyKey VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    requestHash CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    claim CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    claimedUntil DATETIME(3) NULL,
    jobId BIGINT UNSIGNED NULL,
    responseStatus SMALLINT UNSIGNED NULL,
    responseHeaders TEXT NULL,
    responseBody MEDIUMTEXT NULL,
    expiresAt DATETIME(3) NOT NULL,
    createdAt DATETIME(3) NOT NULL,
    updatedAt DATETIME(3) NOT NULL,
    PRIMARY KEY (companyId, idempotencyKey),
    KEY idempotency_keys_by_expiry (expiresAt)
  `,
);
