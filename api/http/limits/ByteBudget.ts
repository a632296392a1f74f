/** Bounds the bytes that all requests of one process hold for one purpose. */
export class ByteBudget {
  private taken = 0;

  /** `total` in bytes. */
  constructor(readonly total: number) {}

  /** The free bytes; negative while more than the total is taken. */
  get free(): number {
    return this.total - this.taken;
  }

  /** Takes bytes even if they are not free; a negative number gives bytes back. */
  add(bytes: number): void {
    this.taken += bytes;
  }
}
