import { createCompanyTable } from './Migration';

export default createCompanyTable(
  'api_keys',
  `
    name VARCHAR(255) NOT NULL,
    tokenHash CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    tokenHint VARCHAR(16) NOT NULL,
    scopes VARCHAR(64) NOT NULL,
    expiresAt DATETIME(3) NULL,
    lastUsedAt DATETIME(3) NULL,
    revokedAt DATETIME(3) NULL,
    createdAt DATETIME(3) NOT NULL,
    updatedAt DATETIME(3) NOT NULL,
    UNIQUE KEY api_keys_token_hash (tokenHash),
    CONSTRAINT api_keys_company FOREIGN KEY (companyId) REFERENCES companies (id)
  `,
);
