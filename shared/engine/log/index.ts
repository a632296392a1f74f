/** The log: JSON lines without secrets. */
export { createLogger, logAlways, type Logger, withLogFields } from './log';
export { OccasionalWarning, untilRepaired } from './OccasionalWarning';
