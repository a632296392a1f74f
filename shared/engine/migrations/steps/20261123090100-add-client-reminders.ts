import { inStatements } from './Migration';

/** Adds whether a client gets reminders, and when its address was changed: a bounce before then says nothing of the new address. */
export default inStatements({
  up: [
    `ALTER TABLE clients
      ADD COLUMN reminders TINYINT(1) NOT NULL DEFAULT 1,
      ADD COLUMN emailChangedAt DATETIME(3) NULL,
      ALGORITHM=INSTANT`,
  ],
  down: ['ALTER TABLE clients DROP COLUMN emailChangedAt, DROP COLUMN reminders'],
});
