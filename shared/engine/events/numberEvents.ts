import { type InstallationWork, padded, placeholders } from '../db';
import type { NewestEvents } from './EventSignals';
import { NUMBERS_PER_MS } from './sequence';

/** Events that were given their numbers. */
export interface Numbered {
  /** The newest number of each company that has new events. */
  readonly newest: NewestEvents;
  /** The types of the new events of each company. */
  readonly types: ReadonlyMap<number, ReadonlySet<string>>;
  /** True when more may be left. */
  readonly isFull: boolean;
}

/** Events of one transaction. A power of two, as {@link padded} makes of it. */
const NUMBERED_AT_ONCE = 512;

/**
 * Gives the events that have none their numbers, those with the lowest ids first. Returns null while another process numbers events.
 *
 * The row of `event_sequence` stays locked until the commit, so the next numbers are given after these are visible: a reader never sees a
 * number appear below one that it has read. Numbers are microseconds since 1970, or larger: they do not repeat after a backup was restored,
 * and a consumer that has read further than the backup misses nothing that happens afterwards.
 */
export async function numberEvents({ sql, now }: InstallationWork): Promise<Numbered | null> {
  const [sequence] = await sql.rows<{ last: number }>(
    'SELECT last FROM event_sequence WHERE id = 1 FOR UPDATE SKIP LOCKED',
  );
  if (sequence === undefined) return null;
  // Read after the lock was taken, so it is all that was committed before.
  const events = await sql.rows<{ companyId: number; id: number; type: string }>(
    `SELECT companyId, id, type FROM events FORCE INDEX (events_unnumbered) WHERE seq IS NULL ORDER BY id LIMIT ${NUMBERED_AT_ONCE}`,
  );
  if (events.length === 0) return { newest: new Map(), types: new Map(), isFull: false };
  const first = Math.max(sequence.last + 1, now.getTime() * NUMBERS_PER_MS);
  // FIELD finds the first of equal ids.
  const ids = padded(events.map(({ id }) => id));
  await sql.run(
    `UPDATE event_sequence s JOIN events e ON e.id IN (${placeholders(ids.length)})
        SET e.seq = ? + FIELD(e.id, ${placeholders(ids.length)}), s.last = ? WHERE s.id = 1`,
    [...ids, first - 1, ...ids, first + events.length - 1],
  );
  const types = new Map<number, Set<string>>();
  for (const { companyId, type } of events) types.set(companyId, (types.get(companyId) ?? new Set()).add(type));
  return {
    newest: new Map(events.map(({ companyId }, index) => [companyId, first + index])),
    types,
    isFull: events.length === NUMBERED_AT_ONCE,
  };
}
