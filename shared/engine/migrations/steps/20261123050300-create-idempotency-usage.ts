import { createTable } from './Migration';

/** How many idempotency keys a company has used in an hour since 1970, and the bytes they take. Both may be below 0 in one hour. */
export default createTable(
  'idempotency_usage',
  `
    companyId BIGINT UNSIGNED NOT NULL,
    hour INT UNSIGNED NOT NULL,
    used BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    PRIMARY KEY (companyId, hour),
    KEY idempotency_usage_by_hour (hour)
  `,
);
