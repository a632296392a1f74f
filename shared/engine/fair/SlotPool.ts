/** A fixed number of slots. Callers that find none free wait in order. */
export class SlotPool<T> {
  private readonly free: T[];
  private readonly waiting: { resolve: (slot: T) => void; reject: (error: Error) => void }[] = [];
  private idle: (() => void) | null = null;
  private closed: Error | null = null;

  constructor(private readonly all: readonly T[]) {
    this.free = [...all];
  }

  /** Waits for a free slot. Every `take` is followed by one `giveBack`. */
  take(): Promise<T> {
    if (this.closed) return Promise.reject(this.closed);
    const slot = this.free.pop();
    if (slot !== undefined) return Promise.resolve(slot);
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  /** Gives the slot to the caller that waits longest. */
  giveBack(slot: T): void {
    const next = this.waiting.shift();
    if (next) return next.resolve(slot);
    this.free.push(slot);
    if (this.free.length === this.all.length) this.idle?.();
  }

  /** Refuses waiting and further callers with the error. Resolves once every slot has been given back. */
  async close(error: Error): Promise<void> {
    this.closed = error;
    for (const { reject } of this.waiting.splice(0)) reject(error);
    if (this.free.length < this.all.length) await new Promise<void>((resolve) => (this.idle = resolve));
  }
}
