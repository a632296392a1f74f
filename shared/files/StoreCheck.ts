import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError } from '../../config/env';
import { ServiceUnavailable } from '../errors';
import type { Logger } from '../log';
import { runEntry } from '../process';

const FIRST_WITHIN_MS = 2_000;
const AGAIN_AFTER_MS = 2_000;

/** Whether this process sees the installation's own file store: asked until there is an answer, and never again after a yes. */
export class StoreCheck {
  private confirmed = false;
  private running: Promise<void> | undefined;

  /** `check` throws {@link ConfigurationError} for another store, and anything else when it cannot tell. */
  constructor(
    private readonly check: () => Promise<void>,
    private readonly log: Logger,
  ) {}

  get isConfirmed(): boolean {
    return this.confirmed;
  }

  /** @throws {ServiceUnavailable} when the store is another one, or nobody can tell at the moment. */
  async ensure(): Promise<void> {
    if (this.confirmed) return;
    try {
      await this.ask();
    } catch (error) {
      throw new ServiceUnavailable('the file store', error);
    }
  }

  /**
   * For a process that starts. MySQL or a store that is away does not keep it from starting: then it asks again until
   * there is an answer, and a wrong store ends the process.
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
    const asked = this.running ?? this.check().then(() => void (this.confirmed = true));
    this.running = asked;
    return asked.finally(() => (this.running = undefined));
  }
}
