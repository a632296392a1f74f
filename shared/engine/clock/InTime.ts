import { within } from './within';

/** Gives a server a limited time for its part of a result. */
export class InTime {
  private isPending = false;

  /** @param ms milliseconds for one result */
  constructor(private readonly ms: number) {}

  /**
   * Returns the result of `read`, or null if it takes longer or fails; calls `failed` with the reason. While an earlier call has no
   * response, no further one is made, so that calls to a hanging server do not pile up.
   */
  async result<T>(read: () => Promise<T>, failed: (error: unknown) => void): Promise<T | null> {
    if (this.isPending) return null;
    const reading = read().finally(() => (this.isPending = false));
    this.isPending = true;
    try {
      return await within(this.ms, reading, 'there was no result');
    } catch (error) {
      failed(error);
      return null;
    }
  }
}
