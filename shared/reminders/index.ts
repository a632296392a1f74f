/** Reminders of unpaid invoices. */
export { previewReminders, reminderCalendar } from './reminderCalendar';
export { reminderObstacles } from './reminderObstacles';
