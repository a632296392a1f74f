/** Companies that are served at the same time, so that one which waits for a lock does not delay the others. */
const CONCURRENCY = 4;
/** How long a turn lasts. A batch that takes longer is made up for by missed turns. */
const TURN_MS = 50;

/** A company with something to do. */
export interface CompanyTurn {
  /** Does a batch of limited size. Returns whether there may be more to do. */
  next(): Promise<boolean>;
}

export interface TurnOptions {
  /** Ends the serving after the batches that have begun. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the serving after this long, once each company has had a turn. */
  readonly longestMs?: number | undefined;
}

interface Served {
  readonly turn: CompanyTurn;
  /** The time that the company has used in advance. */
  owedMs: number;
}

/**
 * Serves companies in turns, until nothing is left. A turn is measured: a company whose batches take long misses turns, as long as others
 * have something to do. So each company that has something to do gets the same time, and one that has little is done in its first turn.
 * @throws the first error of a turn; no batch is in progress then.
 */
export async function serveInTurns(
  turns: readonly CompanyTurn[],
  { signal, longestMs = Infinity }: TurnOptions,
): Promise<void> {
  const began = performance.now();
  const line: Served[] = turns.map((turn) => ({ turn, owedMs: 0 }));
  let unserved = turns.length;
  const failures: unknown[] = [];
  const isOver = (): boolean =>
    signal?.aborted === true || failures.length > 0 || (unserved === 0 && performance.now() - began >= longestMs);

  const takeNext = (): Served | undefined => {
    for (let next = line.shift(); next !== undefined; next = line.shift()) {
      if (next.owedMs < TURN_MS || line.length === 0) return next;
      next.owedMs -= TURN_MS;
      line.push(next);
    }
    return undefined;
  };

  const serve = async (one: Served): Promise<void> => {
    const from = performance.now();
    let [isMore, tookMs] = [true, 0];
    do {
      isMore = await one.turn.next();
      tookMs = performance.now() - from;
    } while (isMore && tookMs < TURN_MS && !isOver());
    one.owedMs = Math.max(0, one.owedMs + tookMs - TURN_MS);
    if (isMore) line.push(one);
  };

  const serveNext = async (): Promise<void> => {
    for (let next = takeNext(); next !== undefined && !isOver(); next = takeNext()) {
      if (unserved > 0) unserved -= 1;
      await serve(next).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, serveNext));
  if (failures.length > 0) throw failures[0];
}
