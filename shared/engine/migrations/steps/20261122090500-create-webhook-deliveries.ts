import { createCompanyTable } from './Migration';

export default createCompanyTable(
  'webhook_deliveries',
  `
    endpointId BIGINT UNSIGNED NOT NULL,
    eventId BIGINT UNSIGNED NULL,
    type VARCHAR(64) NOT NULL,
    isReplay TINYINT(1) NOT NULL DEFAULT 0,
    status VARCHAR(16) NOT NULL,
    attempts INT UNSIGNED NOT NULL DEFAULT 0,
    nextAttemptAt DATETIME(3) NULL,
    responseStatus SMALLINT UNSIGNED NULL,
    responseBody VARCHAR(1024) NULL,
    errorCode VARCHAR(64) CHARACTER SET ascii NULL,
    durationMs INT UNSIGNED NULL,
    createdAt DATETIME(3) NOT NULL,
    endedAt DATETIME(3) NULL,
    KEY webhook_deliveries_by_endpoint (companyId, endpointId, id),
    KEY webhook_deliveries_by_status (companyId, endpointId, status, id),
    KEY webhook_deliveries_pending (status, companyId, endpointId, nextAttemptAt),
    KEY webhook_deliveries_ended (endedAt),
    CONSTRAINT webhook_deliveries_endpoint FOREIGN KEY (companyId, endpointId) REFERENCES webhook_endpoints (companyId, id)
  `,
);
