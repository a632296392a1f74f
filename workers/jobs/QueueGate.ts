import type { Logger } from '../../shared/engine/log';

/** Why this process takes no entries of a queue. */
export type PauseReason = 'not read yet' | 'operator' | 'credentials' | 'refused by Redis';

/** A consumer of a queue that can be paused, such as a BullMQ worker. */
export interface Taker {
  pause(): Promise<void>;
  resume(): Promise<void>;
}

/** Pauses the consumer of one queue while there is at least one reason. Entries in progress continue. */
export class QueueGate {
  /** @param taker paused already if `reasons` are given */
  constructor(
    private readonly queue: string,
    private readonly taker: Taker,
    private readonly log: Logger,
    private readonly reasons = new Set<PauseReason>(),
  ) {}

  get isClosed(): boolean {
    return this.reasons.size > 0;
  }

  /** Adds or removes a reason to pause. */
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
}
