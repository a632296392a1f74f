import { inStatements } from './Migration';

/**
 * Adds what the series of a record is like, beside its dates: the number of periods between them, its last day, whether it is paused, and
 * whether the occurrences of an invoice are e-mailed. `INSTANT` changes no row: MySQL 8.0.12 and MariaDB 10.3 can add last columns in
 * this way, or refuse.
 */
export default inStatements({
  up: [
    `ALTER TABLE expenses
      ADD COLUMN every TINYINT UNSIGNED NOT NULL DEFAULT 1,
      ADD COLUMN endsOn DATE NULL,
      ADD COLUMN paused BOOLEAN NOT NULL DEFAULT FALSE,
      ALGORITHM=INSTANT`,
    `ALTER TABLE invoices
      ADD COLUMN every TINYINT UNSIGNED NOT NULL DEFAULT 1,
      ADD COLUMN endsOn DATE NULL,
      ADD COLUMN paused BOOLEAN NOT NULL DEFAULT FALSE,
      ADD COLUMN autoSend BOOLEAN NOT NULL DEFAULT FALSE,
      ALGORITHM=INSTANT`,
  ],
  down: [
    'ALTER TABLE invoices DROP COLUMN autoSend, DROP COLUMN paused, DROP COLUMN endsOn, DROP COLUMN every',
    'ALTER TABLE expenses DROP COLUMN paused, DROP COLUMN endsOn, DROP COLUMN every',
  ],
});
