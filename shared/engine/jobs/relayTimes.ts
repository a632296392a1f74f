import { relay } from '../../../config/queues';

/** A job that is due within this time is queued immediately. Any other waits in MySQL, so that the queues hold only jobs that can run. */
export const isSoon = (availableAt: Date, now: Date): boolean => availableAt.getTime() - now.getTime() <= relay.soonMs;

/**
 * Returns when a row is relayed: when it becomes due, or, for a job that is queued immediately, after a grace time, in case its entry was
 * lost.
 */
export const relayAtOf = (availableAt: Date, now: Date): Date =>
  isSoon(availableAt, now) ? new Date(availableAt.getTime() + relay.graceMs) : availableAt;
