import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError } from '../../config/env';
import { ServiceUnavailable } from '../errors';
import type { Logger } from '../log';
import { runEntry } from '../process';

const FIRST_WITHIN_MS = 2_000;
const AGAIN_AFTER_MS = 2_000;
/** A store that does not show its id within this time is unavailable. */
const SHOWN_WITHIN_MS = 5_000;

/** What a {@link StoreCheck} asks. */
export interface StoreQuestions {
  /**
   * Compares the store with the one that MySQL names and returns its id. Throws {@link ConfigurationError} for another store,
   * and anything else when it cannot tell.
   */
  identify(): Promise<string>;
  /** Throws when the store does not have this id at present. Asks the store alone. */
  confirm(storeId: string): Promise<void>;
}

/** Whether this process sees the installation's own file store: identified once, and confirmed again and again after that. */
export class StoreCheck {
  private storeId: string | undefined;
  private confirmedAt = -Infinity;
  private running: Promise<void> | undefined;

  /** `trustedMs`: for how long a confirmation counts. With 0 each {@link ensure} asks the store. */
  constructor(
    private readonly questions: StoreQuestions,
    private readonly log: Logger,
    private readonly trustedMs = 0,
  ) {}

  /** The store was identified, at some time. */
  get isIdentified(): boolean {
    return this.storeId !== undefined;
  }

  /** @throws {ServiceUnavailable} when the store is another one, or cannot be reached. */
  async ensure(): Promise<void> {
    const now = performance.now();
    if (this.storeId !== undefined && now - this.confirmedAt < this.trustedMs) return;
    try {
      if (this.storeId === undefined) await this.ask();
      else await inTime(this.questions.confirm(this.storeId));
      this.confirmedAt = now;
    } catch (error) {
      throw error instanceof ServiceUnavailable ? error : new ServiceUnavailable('the file store', error);
    }
  }

  /**
   * For a process that starts. Unreachable MySQL or an unreachable store does not keep it from starting: then it asks again
   * until there is a result, and a wrong store ends the process.
   * @throws {ConfigurationError} for a wrong store, when that is known at once.
   */
  async guard(): Promise<void> {
    if (await Promise.race([this.attempt(), sleep(FIRST_WITHIN_MS, false, { ref: false })])) return;
    runEntry(async () => {
      while (!(await this.attempt())) await sleep(AGAIN_AFTER_MS, undefined, { ref: false });
    });
  }

  private async attempt(): Promise<boolean> {
    try {
      await this.ask();
      return true;
    } catch (error) {
      if (error instanceof ConfigurationError) throw error;
      this.log.warn({ err: error }, 'the file store could not be checked; it is asked again');
      return false;
    }
  }

  private ask(): Promise<void> {
    const asked = this.running ?? this.questions.identify().then((storeId) => void (this.storeId = storeId));
    this.running = asked;
    return asked.finally(() => (this.running = undefined));
  }
}

async function inTime(shown: Promise<void>): Promise<void> {
  const late = sleep(SHOWN_WITHIN_MS, undefined, { ref: false }).then(() => {
    throw new Error(`the file store did not respond within ${SHOWN_WITHIN_MS} ms`);
  });
  await Promise.race([shown, late]);
}
