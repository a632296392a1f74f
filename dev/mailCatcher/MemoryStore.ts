import { LRUCache } from 'lru-cache';

/** The envelope of a received message. {@link MessageStore.raw} returns its bytes. */
export interface CaughtMessage {
  /** Grows with every message, also over restarts. */
  id: number;
  receivedAt: string;
  /** `MAIL FROM`. */
  from: string;
  /** `RCPT TO`. */
  to: string[];
  /** Bytes. */
  size: number;
}

/** Stores received messages, and drops the oldest when there are too many. */
export interface MessageStore {
  /** Stores a message. Duplicates are kept. */
  add(envelope: Pick<CaughtMessage, 'from' | 'to'>, raw: Buffer): Promise<CaughtMessage>;
  /** Newest first. */
  list(): CaughtMessage[];
  get(id: number): CaughtMessage | undefined;
  /** Returns the bytes as received, or null for an unknown message. */
  raw(id: number): Promise<Buffer | null>;
  clear(): Promise<void>;
  /** Waits until all messages are written. */
  close(): Promise<void>;
}

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
