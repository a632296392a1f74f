import type { Migration } from './Migration';

/**
 * Adds on which days a company reminds its clients. `remindedUntil` is the last day whose reminders have been recorded, `reminderCheckAt`
 * when the next ones are due: null without reminders, so that no scan reads the company.
 */
const addReminderDays: Migration = {
  name: '20261123090000-add-reminder-days',
  up: async (sql) => {
    await sql.query(`ALTER TABLE companies
      ADD COLUMN reminderDays VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '[]',
      ADD COLUMN remindedUntil DATE NULL,
      ADD COLUMN reminderCheckAt DATETIME(3) NULL,
      ALGORITHM=INSTANT`);
    await sql.query(`ALTER TABLE companies
      ADD KEY companies_reminder_check (reminderCheckAt, id), ALGORITHM=INPLACE, LOCK=NONE`);
  },
  down: async (sql) => {
    await sql.query(`ALTER TABLE companies DROP KEY companies_reminder_check, DROP COLUMN reminderCheckAt,
      DROP COLUMN remindedUntil, DROP COLUMN reminderDays`);
  },
};

export default addReminderDays;
