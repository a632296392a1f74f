import { broken, type Finding, ok, warning } from '../../../shared/engine/checks';
import type { DatabaseClock, Sql } from '../../../shared/engine/db';

const NOTED_MS = 1_000;
/** Beyond this, one of the two clocks is not set at all: records may get wrong times, and TLS and S3 may fail. */
const WRONG_MS = 60_000;
const remedy = "Set the clocks by NTP. The service follows MySQL's, so that one matters most.";

/** Compares the clock of this machine with MySQL's. */
export async function checkClock(sql: Sql, clock: DatabaseClock): Promise<Finding> {
  await clock.compare((text) => sql.rows(text));
  const offsetMs = clock.offsetMs ?? 0;
  const difference = Math.abs(offsetMs);
  const found = `the clock of this machine is ${(difference / 1_000).toFixed(1)} s ${offsetMs > 0 ? 'behind' : 'ahead of'} MySQL's`;
  if (difference > WRONG_MS) return broken(found, remedy);
  return difference > NOTED_MS ? warning(found, remedy) : ok(`this machine and MySQL differ by ${difference} ms`);
}
