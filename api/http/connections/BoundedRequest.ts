import { IncomingMessage, type Server } from 'node:http';
import type { FlowKey } from '../../../shared/engine/fair';
import { ignoreBody } from '../../../shared/engine/http';
import { REFUSED_AFTER_MS } from '../limits/refusedAfter';

/** Chunks of a body that may be tiny. */
const MAX_TINY_CHUNKS = 256;
/** Beyond that many, chunks have at least this many bytes on average. */
export const MIN_CHUNK_BYTES = 64;
export const TINY_CHUNKS = 'TINY_CHUNKS';

/** The connection of a request. */
interface Receiving {
  /** Not null while it is paused, so that those of others are read. */
  readonly pausedFor: FlowKey | null;
  /** Nothing reads it. */
  readonly isHeld: boolean;
  /** Called for each chunk of the body, and with null at its end. */
  readonly received: (chunk: Buffer | null) => void;
  /** Called when the rest is not to be read. */
  readonly refused: () => void;
}

/**
 * A request whose body cannot come in too many tiny chunks: each costs as much as several hundred bytes, and Node.js parses all that it
 * has read, whether or not the request is paused. Reads no more of the connection, and reports the client's error after a delay.
 */
export class BoundedRequest extends IncomingMessage {
  /** The company of the request's API key; null until the key was found to be valid. */
  companyId: number | null = null;
  connectedBy: Receiving | null = null;
  private chunks = 0;
  private bytes = 0;
  /** Nothing more is read of it. */
  isRefused = false;

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.isRefused) return false;
    this.connectedBy?.received(chunk);
    if (chunk === null) return super.push(null);
    this.chunks += 1;
    this.bytes += chunk.length;
    if (this.bytes >= (this.chunks - MAX_TINY_CHUNKS) * MIN_CHUNK_BYTES) {
      // Node.js gives each chunk memory of its own, about 900 bytes. Small copies share theirs.
      return super.push(chunk.length < MIN_CHUNK_BYTES ? Buffer.from(chunk) : chunk, encoding);
    }
    this.isRefused = true;
    const { socket } = this;
    ignoreBody(socket);
    this.connectedBy?.refused();
    socket.pause();
    const { server } = socket as { server?: Server };
    const refusal = Object.assign(new Error('tiny chunks'), { code: TINY_CHUNKS });
    setTimeout(() => server?.emit('clientError', refusal, socket), REFUSED_AFTER_MS).unref();
    return false;
  }

  /** Node.js would resume the connection. */
  override _read(size: number): void {
    if (!this.isWaiting && this.connectedBy?.isHeld !== true) super._read(size);
  }

  /** Not when it is the client's fault that little is read. */
  override isPaused(): boolean {
    return this.isWaiting || super.isPaused();
  }

  private get isWaiting(): boolean {
    return this.isRefused || (this.connectedBy?.pausedFor ?? null) !== null;
  }
}
