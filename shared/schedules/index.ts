/** Schedules: the scan of the calendar, the clock of sandboxes and the clean-up. */
export { cleanUp } from './cleanUp';
export { previewSchedules, runSchedules, type ScheduleName, scheduleNames } from './runSchedules';
export { reachSandboxDay, runSandbox } from './runSandbox';
export { SchedulesReport } from './SchedulesReport';
