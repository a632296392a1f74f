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
