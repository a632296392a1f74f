import { setImmediate } from 'node:timers/promises';
import { toDatabaseUnavailable } from '../../shared/engine/db';
import { AppError } from '../../shared/engine/errors';

/** The most that one round does. */
const MOST = 32;

/** How a round is played, and how one item is done alone. */
export interface Play<Item, Result> {
  /** Does one or more items. Returns null for each that has to be done alone: nothing was done for that one. */
  together(items: readonly Item[]): Promise<readonly (Result | null)[]>;
  alone(item: Item): Promise<Result>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result | null) => void;
  readonly reject: (error: unknown) => void;
}

/** What waits for the next round of each company; an entry exists while a round is under way. */
type ByCompany<Item, Result> = Map<number, Waiting<Item, Result>[]>;

/**
 * Does what several runs need in rounds: one round takes what arrived while the round before was under way. Nothing waits for a timer, an
 * item that is alone waits for none, and under load the rounds grow by themselves. A round that fails is rolled back, and each of its items
 * is done alone, outside of the rounds: one item that waits for a lock or cannot be done holds up no other.
 */
export class Rounds {
  /** {@link ByCompany} of each stage. */
  private readonly stages = new Map<object, unknown>();

  /**
   * Returns the result of `item`, which is done in the next round of its company.
   * @param stage any object that stands for what is done; rounds of different stages, or companies, are independent
   * @throws what `alone` throws; and what a round throws whose outcome is unknown, because MySQL became unreachable
   */
  async join<Item, Result>(stage: object, companyId: number, item: Item, play: Play<Item, Result>): Promise<Result> {
    const companies = (this.stages.get(stage) ?? new Map()) as ByCompany<Item, Result>;
    this.stages.set(stage, companies);
    const result = await new Promise<Result | null>((resolve, reject) => {
      const waiting = companies.get(companyId);
      const one = { item, resolve, reject };
      if (waiting !== undefined) waiting.push(one);
      else {
        companies.set(companyId, [one]);
        void playAll(companies, companyId, play);
      }
    });
    return result ?? play.alone(item);
  }
}

async function playAll<Item, Result>(
  companies: ByCompany<Item, Result>,
  companyId: number,
  play: Play<Item, Result>,
): Promise<void> {
  // What arrives in the same iteration of the event loop shares the first round.
  await setImmediate();
  const waiting = companies.get(companyId) ?? [];
  while (waiting.length > 0) {
    const round = waiting.splice(0, MOST);
    try {
      const results = await play.together(round.map(({ item }) => item));
      round.forEach(({ resolve }, index) => resolve(results[index] ?? null));
    } catch (error) {
      // Done alone, each meets its own error.
      for (const { resolve, reject } of round) {
        if (isRolledBack(error)) resolve(null);
        else reject(error);
      }
    }
  }
  companies.delete(companyId);
}

/** Whether the failed round has certainly changed nothing. Unknown where the connection was lost, perhaps during the COMMIT. */
function isRolledBack(error: unknown): boolean {
  const unavailable = toDatabaseUnavailable(error);
  if (unavailable !== null) return unavailable.reason === 'contended';
  return !(error instanceof AppError && error.retryable);
}
