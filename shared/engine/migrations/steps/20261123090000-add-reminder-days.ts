import { addColumns, addKeys, inTurn } from './Migration';

/**
 * Adds on which days a company reminds its clients. `remindedUntil` is the last day whose reminders have been recorded, `reminderCheckAt`
 * when the next ones are due: null without reminders, so that no scan reads the company.
 */
export default inTurn(
  addColumns('companies', {
    reminderDays: "VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '[]'",
    remindedUntil: 'DATE NULL',
    reminderCheckAt: 'DATETIME(3) NULL',
  }),
  addKeys('companies', { companies_reminder_check: 'reminderCheckAt, id' }),
);
