import { within } from '../clock';
import { ServiceUnavailable } from '../errors';
import { guardStart } from '../process';
import { type Logger, OccasionalWarning, untilRepaired } from '../log';

/** A store whose id cannot be read within this time is unavailable. */
const TIMEOUT_MS = 5_000;

/** The reads of a {@link StoreCheck}. */
export interface StoreQuestions {
  /**
   * Compares the store with the one that MySQL names and returns its id.
   * @throws {ConfigurationError} for another store; any other error when the store or MySQL cannot be read.
   */
  identify(): Promise<string>;
  /** Reads the store's id, without MySQL. @throws {Error} when it is not this one, or cannot be read. */
  confirm(storeId: string): Promise<void>;
}

/** Checks that this process uses the installation's own file store: identifies it once, and confirms it from then on. */
export class StoreCheck {
  private storeId: string | undefined;
  private confirmedAt = -Infinity;
  private running: Promise<void> | undefined;
  private readonly unchecked = new OccasionalWarning(
    this.log,
    'the file store could not be checked; the check is repeated',
    untilRepaired,
  );

  /** `trustedMs` is how long a confirmation is valid. With 0 each {@link ensure} reads the store. */
  constructor(
    private readonly questions: StoreQuestions,
    private readonly log: Logger,
    private readonly trustedMs = 0,
  ) {}

  /** @throws {ServiceUnavailable} when the store is a different one or unreachable. */
  async ensure(): Promise<void> {
    const now = performance.now();
    if (this.storeId !== undefined && now - this.confirmedAt < this.trustedMs) return;
    try {
      if (this.storeId === undefined) await this.ask();
      else await within(TIMEOUT_MS, this.questions.confirm(this.storeId), 'the file store did not respond');
      this.confirmedAt = now;
    } catch (error) {
      throw error instanceof ServiceUnavailable ? error : new ServiceUnavailable('the file store', error);
    }
  }

  /**
   * Identifies the store while the process starts. If MySQL or the store is unreachable, the process still starts. The check is repeated
   * until it has a result, and a wrong store then ends the process.
   * @throws {ConfigurationError} for a wrong store, if the first check finds it.
   */
  guard(): Promise<void> {
    return guardStart(
      () => this.ask().then(() => void this.unchecked.end()),
      (error) => this.unchecked.note({ err: error }),
    );
  }

  private ask(): Promise<void> {
    const asked = (this.running ??= this.questions.identify().then((storeId) => void (this.storeId = storeId)));
    return asked.finally(() => (this.running = undefined));
  }
}
