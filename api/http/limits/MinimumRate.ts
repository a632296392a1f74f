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
    return () => this.forget(watched);
  }

  private check(): void {
    const now = Date.now();
    const needed = (this.bytesPerSecond * this.windowMs) / 1_000;
    for (const watched of this.senders) {
      if (now - watched.since < this.windowMs) continue;
      const { sender, bytesThen, tooSlow } = watched;
      const { bytesRead } = sender.socket;
      if (bytesRead - bytesThen >= needed || sender.isPaused()) {
        watched.since = now;
        watched.bytesThen = bytesRead;
      } else {
        this.forget(watched);
        tooSlow();
      }
    }
  }

  private forget(watched: Watched): void {
    this.senders.delete(watched);
    if (this.senders.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
