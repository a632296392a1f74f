/** What the rest of the program may use of this feature. */
export { cleanUp } from './cleanUp';
export { previewSchedules, runSchedules, type ScheduleName, scheduleNames } from './runSchedules';
export { reachSandboxDay, runSandbox } from './runSandbox';
export { SchedulesReport } from './SchedulesReport';
