import { createTable } from './Migration';

export default createTable(
  'api_keys',
  `
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    companyId BIGINT UNSIGNED NOT NULL,
    name VARCHAR(255) NOT NULL,
    tokenHash CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    tokenHint VARCHAR(16) NOT NULL,
    scopes VARCHAR(64) NOT NULL,
    expiresAt DATETIME(3) NULL,
    lastUsedAt DATETIME(3) NULL,
    revokedAt DATETIME(3) NULL,
    createdAt DATETIME(3) NOT NULL,
    updatedAt DATETIME(3) NOT NULL,
    PRIMARY KEY (companyId, id),
    UNIQUE KEY api_keys_id (id),
    UNIQUE KEY api_keys_token_hash (tokenHash),
    CONSTRAINT api_keys_company FOREIGN KEY (companyId) REFERENCES companies (id)
  `,
);
