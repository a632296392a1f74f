/** The time, which a test can set, and results that are wanted in time. */
export { type Clock, expiringAfter } from './clock';
export { InTime } from './InTime';
export { within } from './within';
