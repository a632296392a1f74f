import { QueryTypes } from 'sequelize';
import type { Migration } from './Migration';

/** Events of one statement: a lock lasts for milliseconds. */
const BATCH = 2_000;

/**
 * Gives the events `invoice.email.requested` their name in the feed, `email.requested`. Processes of the version before may
 * write a few more under the old name; nothing depends on it. Can be repeated after a crash, and is not reverted: no version
 * reads these events by their name.
 */
const renameEmailRequested: Migration = {
  name: '20261122100000-rename-email-requested',
  up: async (sql) => {
    const [range] = await sql.query<{ first: number | null; last: number | null }>(
      'SELECT MIN(id) AS first, MAX(id) AS last FROM events',
      { type: QueryTypes.SELECT },
    );
    const [first, last] = [Number(range?.first ?? 1), Number(range?.last ?? 0)];
    for (let from = first; from <= last; from += BATCH) {
      await sql.query(
        "UPDATE events SET type = 'email.requested' WHERE id BETWEEN ? AND ? AND type = 'invoice.email.requested'",
        { replacements: [from, Math.min(last, from + BATCH - 1)] },
      );
    }
  },
  down: () => Promise.resolve(),
};

export default renameEmailRequested;
