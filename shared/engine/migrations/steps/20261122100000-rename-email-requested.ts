import { updateEvents } from './Migration';

/**
 * Gives the events `invoice.email.requested` their name in the feed, `email.requested`. Processes of the version before may
 * write a few more under the old name; nothing depends on it. No version reads these events by their name.
 */
export default updateEvents(
  "UPDATE events SET type = 'email.requested' WHERE id BETWEEN ? AND ? AND type = 'invoice.email.requested'",
);
