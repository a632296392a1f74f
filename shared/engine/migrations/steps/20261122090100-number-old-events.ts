import { QueryTypes } from 'sequelize';
import type { Migration } from './Migration';

/** Events of one statement: a lock lasts for milliseconds. */
const BATCH = 2_000;

/**
 * Numbers the events that are there. Their ids are numbers that increase in the order of the feed, and every number that
 * is given later is larger. Runs beside the processes of the version before, and can be repeated after a crash.
 */
const numberOldEvents: Migration = {
  name: '20261122090100-number-old-events',
  up: async (sql) => {
    const [range] = await sql.query<{ first: number | null; last: number | null }>(
      'SELECT MIN(id) AS first, MAX(id) AS last FROM events',
      { type: QueryTypes.SELECT },
    );
    const [first, last] = [Number(range?.first ?? 1), Number(range?.last ?? 0)];
    for (let from = first; from <= last; from += BATCH) {
      await sql.query('UPDATE events SET seq = id WHERE id BETWEEN ? AND ? AND seq IS NULL', {
        replacements: [from, Math.min(last, from + BATCH - 1)],
      });
    }
  },
  down: () => Promise.resolve(),
};

export default numberOldEvents;
