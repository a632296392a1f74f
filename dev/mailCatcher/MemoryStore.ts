import type { CaughtMessage, MessageStore } from './MessageStore';

/** Keeps messages in memory, at most so many and so many bytes. */
export class MemoryStore implements MessageStore {
  readonly #messages = new Map<number, { message: CaughtMessage; raw: Buffer }>();
  #lastId = 0;
  #bytes = 0;

  constructor(
    private readonly maxMessages: number,
    private readonly maxBytes = 256 * 1024 * 1024,
  ) {}

  add(envelope: Pick<CaughtMessage, 'from' | 'to'>, raw: Buffer): Promise<CaughtMessage> {
    const id = ++this.#lastId;
    const message = { id, receivedAt: new Date().toISOString(), ...envelope, size: raw.length };
    this.#messages.set(id, { message, raw });
    this.#bytes += raw.length;
    for (const [oldest, { message: old }] of this.#messages) {
      if (this.#messages.size <= this.maxMessages && this.#bytes <= this.maxBytes) break;
      this.#messages.delete(oldest);
      this.#bytes -= old.size;
    }
    return Promise.resolve(message);
  }

  list(): CaughtMessage[] {
    return [...this.#messages.values()].map(({ message }) => message).reverse();
  }

  get(id: number): CaughtMessage | undefined {
    return this.#messages.get(id)?.message;
  }

  raw(id: number): Promise<Buffer | null> {
    return Promise.resolve(this.#messages.get(id)?.raw ?? null);
  }

  clear(): Promise<void> {
    this.#messages.clear();
    this.#bytes = 0;
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
