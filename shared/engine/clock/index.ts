/** The time, which a test can set, and results that are wanted within a time. */
export { type Clock, expiringAfter } from './clock';
export { InTime } from './InTime';
