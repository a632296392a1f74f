import { LRUCache } from 'lru-cache';
import type { CaughtMessage, MessageStore } from './MessageStore';

/**
 * Keeps messages in memory, up to a number and a size. Reads use `peek`, so that the oldest message is dropped first.
 */
export class MemoryStore implements MessageStore {
  readonly #messages: LRUCache<number, { message: CaughtMessage; raw: Buffer }>;
  #lastId = 0;

  constructor(maxMessages: number, maxBytes = 256 * 1024 * 1024) {
    this.#messages = new LRUCache({
      max: maxMessages,
      maxSize: maxBytes,
      sizeCalculation: ({ raw }) => Math.max(1, raw.length),
    });
  }

  add(envelope: Pick<CaughtMessage, 'from' | 'to'>, raw: Buffer): Promise<CaughtMessage> {
    const id = ++this.#lastId;
    const message = { id, receivedAt: new Date().toISOString(), ...envelope, size: raw.length };
    this.#messages.set(id, { message, raw });
    return Promise.resolve(message);
  }

  list(): CaughtMessage[] {
    return [...this.#messages.values()].map(({ message }) => message);
  }

  get(id: number): CaughtMessage | undefined {
    return this.#messages.peek(id)?.message;
  }

  raw(id: number): Promise<Buffer | null> {
    return Promise.resolve(this.#messages.peek(id)?.raw ?? null);
  }

  clear(): Promise<void> {
    this.#messages.clear();
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
