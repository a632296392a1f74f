import { createRecordTable } from './Migration';

export default createRecordTable(
  'api_keys',
  `
    name VARCHAR(255) NOT NULL,
    tokenHash CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    tokenHint VARCHAR(16) NOT NULL,
    scopes VARCHAR(64) NOT NULL,
    expiresAt DATETIME(3) NULL,
    lastUsedAt DATETIME(3) NULL,
    revokedAt DATETIME(3) NULL,
    UNIQUE KEY api_keys_token_hash (tokenHash)
  `,
);
