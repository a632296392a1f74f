import type { Sql } from '../db';

/** Raises the number at the primary. Returns it. */
export async function raiseBeat(primary: Sql): Promise<number> {
  const raise = 'UPDATE replica_beats SET number = LAST_INSERT_ID(number + 1) WHERE id = 1';
  return (await primary.run(raise)).insertId;
}

/** Returns the number that a replica shows. */
export async function shownBeat(replica: Sql): Promise<number> {
  const [row] = await replica.rows<{ number: number }>('SELECT number FROM replica_beats WHERE id = 1');
  return row?.number ?? 0;
}
