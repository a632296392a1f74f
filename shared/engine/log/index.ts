/** The log: one JSON line for each happening, without secrets. */
export { createLogger, logAlways, type Logger, withLogFields } from './log';
export { OccasionalWarning, untilRepaired } from './OccasionalWarning';
