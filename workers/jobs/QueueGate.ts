import type { Logger } from '../../shared/engine/log';
import type { Pausable } from './ServedQueue';

/** Why this process takes no entries of a queue. */
export type PauseReason = 'not read yet' | 'operator' | 'credentials' | 'refused by Redis';

/** What takes entries of a queue, such as a BullMQ worker: paused or not. */
export interface Taker {
  pause(): Promise<void>;
  resume(): Promise<void>;
}

/** Pauses what takes the entries of one queue while there is a reason to, whichever came first. Entries in progress go on. */
export class QueueGate {
  private readonly reasons: Set<PauseReason>;

  /** @param taker paused already where there are `reasons` from the start */
  constructor(
    private readonly queue: string,
    private readonly taker: Taker,
    private readonly log: Logger,
    reasons: readonly PauseReason[] = [],
  ) {
    this.reasons = new Set(reasons);
  }

  get isClosed(): boolean {
    return this.reasons.size > 0;
  }

  /** Adds a reason to pause, or takes it away. */
  set(reason: PauseReason, applies: boolean): void {
    const wasClosed = this.isClosed;
    if (applies) this.reasons.add(reason);
    else this.reasons.delete(reason);
    if (this.isClosed === wasClosed) return;
    const done = this.isClosed ? this.taker.pause() : this.taker.resume();
    done.catch((error: unknown) =>
      this.log.error({ err: error, queue: this.queue }, 'a queue could not be paused or resumed'),
    );
  }

  /** The gate as it is seen by something that has one reason to pause. */
  for(reason: PauseReason): Pausable {
    return { pause: () => this.set(reason, true), resume: () => this.set(reason, false) };
  }
}
