import { mkdirSync, openSync, readdirSync, readSync, closeSync, fstatSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CaughtMessage, MessageStore } from './MemoryStore';

/** Messages that may be unwritten before senders wait for the disk. */
const maxUnwritten = 64;
/** The envelope is the file's first line; addresses are short. */
const longestFirstLine = 16_384;

/**
 * Keeps each message in a file of its own, `000000000042.eml`: the envelope as a line of JSON, then the bytes as
 * received. A message counts as kept before it is written, unless the disk falls behind.
 */
export class FolderStore implements MessageStore {
  readonly #messages = new Map<number, CaughtMessage>();
  readonly #unwritten = new Map<number, { raw: Buffer; written: Promise<void> }>();
  #lastId = 0;
  /** The error of a failed write, with which the next message is refused. */
  #failure: Error | null = null;

  /** Creates the folder if it is missing, and reads the messages in it. */
  constructor(
    private readonly folder: string,
    private readonly maxMessages: number,
  ) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder).sort()) {
      const message = name.endsWith('.eml') ? readEnvelope(join(folder, name)) : null;
      if (message) this.#messages.set(message.id, message);
    }
    this.#lastId = Math.max(0, ...this.#messages.keys());
  }

  async add(envelope: Pick<CaughtMessage, 'from' | 'to'>, raw: Buffer): Promise<CaughtMessage> {
    if (this.#failure) throw this.#failure;
    const id = ++this.#lastId;
    const message: CaughtMessage = { id, receivedAt: new Date().toISOString(), ...envelope, size: raw.length };
    this.#messages.set(id, message);
    const written = this.#write(message, raw).catch((error: Error) => {
      this.#failure = error;
    });
    this.#unwritten.set(id, { raw, written });
    if (this.#unwritten.size > maxUnwritten) await written;
    return message;
  }

  list(): CaughtMessage[] {
    return [...this.#messages.values()].reverse();
  }

  get(id: number): CaughtMessage | undefined {
    return this.#messages.get(id);
  }

  async raw(id: number): Promise<Buffer | null> {
    if (!this.#messages.has(id)) return null;
    const unwritten = this.#unwritten.get(id);
    if (unwritten) return unwritten.raw;
    const file = await readFile(this.#path(id));
    return file.subarray(file.indexOf('\n') + 1);
  }

  async clear(): Promise<void> {
    await this.close();
    await this.#remove([...this.#messages.keys()]);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#unwritten.values()].map(({ written }) => written));
  }

  async #write(message: CaughtMessage, raw: Buffer): Promise<void> {
    await writeFile(this.#path(message.id), [`${JSON.stringify(message)}\n`, raw]);
    this.#unwritten.delete(message.id);
    const surplus = this.#messages.size - this.maxMessages;
    if (surplus > 0) await this.#remove([...this.#messages.keys()].slice(0, surplus));
  }

  async #remove(ids: number[]): Promise<void> {
    for (const id of ids) this.#messages.delete(id);
    await Promise.all(ids.map((id) => rm(this.#path(id), { force: true })));
  }

  #path(id: number): string {
    return join(this.folder, `${String(id).padStart(12, '0')}.eml`);
  }
}

/** Returns null for a file that a crash left incomplete. */
function readEnvelope(path: string): CaughtMessage | null {
  const file = openSync(path, 'r');
  try {
    const start = Buffer.alloc(longestFirstLine);
    const line =
      start
        .subarray(0, readSync(file, start, 0, start.length, 0))
        .toString('utf8')
        .split('\n', 1)[0] ?? '';
    const message = JSON.parse(line) as CaughtMessage;
    return fstatSync(file).size === Buffer.byteLength(line) + 1 + message.size ? message : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  } finally {
    closeSync(file);
  }
}
