import { setTimeout as sleep } from 'node:timers/promises';
import { callWithRetries, type CallResult } from './callWithRetries';
import type { Operation, OperationKind } from './operations/Operation';
import type { World } from './World';

/** A caller retries for this long after the load has ended. */
const retryForMs = 45_000;

export interface LoadOptions {
  readonly kinds: readonly OperationKind[];
  /** Operations that are requested before new ones are made. */
  readonly prepared: readonly Operation[];
  readonly everyMs: number;
}

/** Requests operations at a steady rate on the APIs in turn, with retries, until `end`. */
export class Load {
  private readonly calls: Promise<CallResult>[] = [];
  private readonly running: Promise<void>;
  private ended = false;
  private until = Infinity;

  constructor(
    private readonly world: World,
    private readonly options: LoadOptions,
  ) {
    this.running = this.run();
    // Reported by `end`.
    this.running.catch(() => undefined);
  }

  /**
   * Requests no more operations, and returns the results of all. @throws {Error} when an operation could not be made.
   */
  async end(): Promise<CallResult[]> {
    this.ended = true;
    this.until = Date.now() + retryForMs;
    await this.running;
    return Promise.all(this.calls);
  }

  private async run(): Promise<void> {
    const { kinds, prepared, everyMs } = this.options;
    for (let index = 0; !this.ended; index++) {
      const kind = kinds[index % kinds.length] as OperationKind;
      const operation = prepared[index] ?? (await kind.make(this.world));
      this.calls.push(callWithRetries(this.world, operation, index, () => this.until));
      await sleep(everyMs);
    }
  }
}
