/** Bounds the bytes that all requests of one process hold for one purpose. */
export class ByteBudget {
  private taken = 0;

  /** `total` in bytes. */
  constructor(readonly total: number) {}

  /** The free bytes; negative while more than the total is taken. */
  get free(): number {
    return this.total - this.taken;
  }

  /** Reserves bytes. Returns false, and reserves nothing, when fewer are free. Every success is given back by {@link add}. */
  tryTake(bytes: number): boolean {
    if (bytes > this.free) return false;
    this.taken += bytes;
    return true;
  }

  /** Takes bytes even if they are not free; a negative number gives bytes back. */
  add(bytes: number): void {
    this.taken += bytes;
  }
}
