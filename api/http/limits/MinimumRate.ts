import { endings } from '../../../shared/engine/fair';

/** A request whose body is being received. */
export interface Sender {
  readonly socket: { readonly bytesRead: number };
  /** True while this process has paused the request. */
  isPaused(): boolean;
}

interface Watched {
  readonly sender: Sender;
  readonly tooSlow: () => void;
  since: number;
  bytesThen: number;
}

const CHECK_EVERY_MS = 1_000;

/** Finds clients that send fewer than `bytesPerSecond` during `windowMs`. One timer serves all requests of a process. */
export class MinimumRate {
  private readonly senders = new Set<Watched>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly bytesPerSecond: number,
    private readonly windowMs: number,
  ) {}

  /** Watches a sender until the returned function is called. Calls `tooSlow` at most once. */
  watch(sender: Sender, tooSlow: () => void): () => void {
    const watched = { sender, tooSlow, since: Date.now(), bytesThen: sender.socket.bytesRead };
    this.senders.add(watched);
    this.timer ??= setInterval(() => this.check(), CHECK_EVERY_MS).unref();
    return () => void this.forget(watched);
  }

  private check(): void {
    const now = Date.now();
    const needed = (this.bytesPerSecond * this.windowMs) / 1_000;
    for (const watched of this.senders) {
      if (now - watched.since < this.windowMs) continue;
      const { sender, bytesThen, tooSlow } = watched;
      const { bytesRead } = sender.socket;
      Object.assign(watched, { since: now, bytesThen: bytesRead });
      if (bytesRead - bytesThen >= needed || sender.isPaused()) continue;
      // Thousands that have begun together are too slow together. Meanwhile one may have ended.
      endings.add(() => {
        if (this.forget(watched)) tooSlow();
      });
    }
  }

  /** Returns whether it was watched. */
  private forget(watched: Watched): boolean {
    const wasWatched = this.senders.delete(watched);
    if (this.senders.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    return wasWatched;
  }
}
