/** A message as it came: the SMTP envelope, and the bytes, which {@link MessageStore.raw} gives. */
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

/** Where caught messages are kept. The oldest go when there are too many. */
export interface MessageStore {
  /** Keeps a message, also one that is the same as another. */
  add(envelope: Pick<CaughtMessage, 'from' | 'to'>, raw: Buffer): Promise<CaughtMessage>;
  /** Newest first. */
  list(): CaughtMessage[];
  get(id: number): CaughtMessage | undefined;
  /** The bytes as received, or null when the message is not there. */
  raw(id: number): Promise<Buffer | null>;
  clear(): Promise<void>;
  /** Waits until everything is where it survives a restart. */
  close(): Promise<void>;
}
