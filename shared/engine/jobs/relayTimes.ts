import { relay } from '../../../config/queues';

/** A job that is due soon is queued at once. Any other waits in MySQL, so that the queues hold no more than what can run. */
export const isSoon = (availableAt: Date, now: Date): boolean => availableAt.getTime() - now.getTime() <= relay.soonMs;

/**
 * When a row is relayed (`Outbox.relayLeftBehind`): when it becomes due, or after a time of grace where it is queued at once, in case
 * that was lost.
 */
export const relayAtOf = (availableAt: Date, now: Date): Date =>
  isSoon(availableAt, now) ? new Date(availableAt.getTime() + relay.graceMs) : availableAt;
