import { addColumns } from './Migration';

/**
 * Adds what became of an e-mail: its job, why it failed, and what the mail provider reports. `kind` is what the e-mail is about.
 * Null for old rows and for those of old processes, which write none of these columns.
 */
export default addColumns('emails', {
  kind: "VARCHAR(16) CHARACTER SET ascii NOT NULL DEFAULT 'invoice'",
  jobId: 'BIGINT UNSIGNED NULL',
  errorCode: 'VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL',
  errorMessage: 'VARCHAR(1000) NULL',
  deliveredAt: 'DATETIME(3) NULL',
  openedAt: 'DATETIME(3) NULL',
  bouncedAt: 'DATETIME(3) NULL',
});
