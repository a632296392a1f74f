import { inStatements } from './Migration';

/**
 * Adds on which days a company reminds its clients. `remindedUntil` is the last day whose reminders have been recorded, `reminderCheckAt`
 * when the next ones are due: null without reminders, so that no scan reads the company.
 */
export default inStatements({
  up: [
    `ALTER TABLE companies
      ADD COLUMN reminderDays VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '[]',
      ADD COLUMN remindedUntil DATE NULL,
      ADD COLUMN reminderCheckAt DATETIME(3) NULL,
      ALGORITHM=INSTANT`,
    `ALTER TABLE companies
      ADD KEY companies_reminder_check (reminderCheckAt, id), ALGORITHM=INPLACE, LOCK=NONE`,
  ],
  down: [
    `ALTER TABLE companies DROP KEY companies_reminder_check, DROP COLUMN reminderCheckAt,
      DROP COLUMN remindedUntil, DROP COLUMN reminderDays`,
  ],
});
