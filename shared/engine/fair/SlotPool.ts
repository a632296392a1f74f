interface Waiting<T> {
  fits: (slot: T) => boolean;
  resolve: (slot: T) => void;
  reject: (error: Error) => void;
}

/** A fixed number of slots. Callers that find none free wait in order. */
export class SlotPool<T> {
  private readonly free: Set<T>;
  private readonly waiting: Waiting<T>[] = [];
  private idle: (() => void) | null = null;
  private closed: Error | null = null;

  constructor(private readonly all: readonly T[]) {
    this.free = new Set(all);
  }

  /** Waits for a free slot that fits, the first of them. Every `take` is followed by one `giveBack`. */
  take(fits: (slot: T) => boolean = () => true): Promise<T> {
    if (this.closed) return Promise.reject(this.closed);
    const slot = this.all.find((one) => this.free.has(one) && fits(one));
    if (slot === undefined) return new Promise((resolve, reject) => this.waiting.push({ fits, resolve, reject }));
    this.free.delete(slot);
    return Promise.resolve(slot);
  }

  /** Gives the slot to the caller that waits longest for one like it. */
  giveBack(slot: T): void {
    const next = this.waiting.findIndex(({ fits }) => fits(slot));
    if (next >= 0) return this.waiting.splice(next, 1)[0]?.resolve(slot);
    this.free.add(slot);
    if (this.free.size === this.all.length) this.idle?.();
  }

  /** Refuses waiting and further callers with the error. Resolves once every slot has been given back. */
  async close(error: Error): Promise<void> {
    this.closed = error;
    for (const { reject } of this.waiting.splice(0)) reject(error);
    if (this.free.size < this.all.length) await new Promise<void>((resolve) => (this.idle = resolve));
  }
}
