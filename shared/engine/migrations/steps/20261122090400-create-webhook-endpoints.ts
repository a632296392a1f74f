import { createRecordTable } from './Migration';

export default createRecordTable(
  'webhook_endpoints',
  `
    url VARCHAR(2048) NOT NULL,
    types TEXT NOT NULL,
    description VARCHAR(255) NOT NULL,
    enabled TINYINT(1) NOT NULL,
    disabledReason VARCHAR(16) NULL,
    secret VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    previousSecret VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL,
    previousSecretUntil DATETIME(3) NULL,
    position BIGINT UNSIGNED NOT NULL,
    run BIGINT UNSIGNED NOT NULL DEFAULT 0,
    leaseUntil DATETIME(3) NULL,
    failures INT UNSIGNED NOT NULL DEFAULT 0,
    failingSince DATETIME(3) NULL,
    softDelete TINYINT(1) NOT NULL DEFAULT 0
  `,
);
