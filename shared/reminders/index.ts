/** What the rest of the program may use of this feature. */
export { previewReminders, reminderCalendar } from './reminderCalendar';
export { reminderObstacles } from './reminderObstacles';
