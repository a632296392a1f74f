/** A bound on the bytes that one process holds for one purpose, over all of its requests. */
export class ByteBudget {
  private taken = 0;

  /** `total` in bytes. */
  constructor(readonly total: number) {}

  /** Negative while more is taken than there is. */
  get free(): number {
    return this.total - this.taken;
  }

  /** Reserves bytes. Returns false, and reserves nothing, when fewer are free. Every success needs one {@link giveBack}. */
  tryTake(bytes: number): boolean {
    if (bytes > this.free) return false;
    this.taken += bytes;
    return true;
  }

  /** Adds to what is taken, whether it is free or not; a negative number gives back. */
  add(bytes: number): void {
    this.taken += bytes;
  }

  giveBack(bytes: number): void {
    this.taken -= bytes;
  }
}
