import { Socket, type SocketConstructorOpts } from 'node:net';
import { isEnding } from '../../shared/engine/http';

interface Limit {
  readonly bytes: number;
  /** The code of the error that ends the connection. */
  readonly code: string;
}

/**
 * What a server may send before a TLS handshake is complete. Usual chains of certificates have 3 to 8 kB. OpenSSL takes 100 KiB, and
 * verifies the signatures of all certificates on the event loop, also after the first error: the slowest of this length take 70 ms.
 */
const HANDSHAKE: Limit = { bytes: 12 * 1_024, code: 'HANDSHAKE_TOO_LARGE' };
/**
 * What it may send for each request. Everything counts: heads and trailers, of which Node.js counts the names and values alone, and each
 * anew; session tickets and new keys, which reach no reader that could bound them.
 */
const RESPONSE: Limit = { bytes: 64 * 1_024, code: 'RESPONSE_TOO_LARGE' };
/** What is processed in one piece, in bytes. Most responses are shorter. */
const PIECE = 4 * 1_024;
/** Reads of one response, or of a handshake, without a pause between them. Usual ones have one to ten. */
const READS = 64;
/** What the operating system may keep of a connection after its end, in bytes. */
const LEFT = 16 * 1_024;
/** Milliseconds before what a further read has returned is processed, and then the next one, which has all that arrived until then. */
const PAUSE_MS = 100;

/**
 * A connection to a foreign server, to which TLS can be added while it is not connected. All that is received is bounded before anything
 * processes it. A read alone takes 15 µs, or 30 with TLS, so servers that send byte by byte on 200 connections would take all of the event
 * loop: there are few reads, too.
 */
export class BoundedSocket extends Socket {
  private limit = HANDSHAKE;
  private bytesLeft = HANDSHAKE.bytes;
  private readsLeft = READS;
  /** Reads that wait. Those that follow wait behind them. */
  private delayed = 0;
  private isResetting = false;
  /** With which it is reset. */
  private failure: Error | undefined;

  /** @param handOver runs the processing of received bytes, now or later, in the order of the calls */
  constructor(
    options: SocketConstructorOpts,
    private readonly handOver: (work: () => void) => void,
  ) {
    super(options);
  }

  /** Counts anew: from now on the bytes are those of a response. */
  allowResponse(): void {
    this.limit = RESPONSE;
    this.bytesLeft = RESPONSE.bytes;
    this.readsLeft = READS;
  }

  /**
   * Closes with a reset where more than {@link LEFT} was sent. Otherwise the operating system would keep what the server has not read, up to
   * 4 MB, for minutes. While its end is being sent, a connection cannot be reset: it is reset afterwards, or, after an error, which no `finish`
   * would follow, closed without.
   */
  override destroy(error?: Error): this {
    const isMuch = this.bytesWritten > LEFT && !this.connecting && !this.destroyed;
    if (!isMuch || this.isResetting || (isEnding(this) && error !== undefined))
      return super.destroy(this.failure ?? error);
    if (isEnding(this)) return this.once('finish', () => this.destroy());
    this.isResetting = true;
    this.failure = error;
    return this.resetAndDestroy();
  }

  /** Called with what was read, null for the end. After `false` the handle reads no more until a piece has been passed on. */
  override push(bytes: Buffer | null): boolean {
    if (this.readsLeft > 0 && this.delayed === 0) return this.receive(bytes);
    this.delayed += 1;
    setTimeout(() => {
      this.delayed -= 1;
      this.receive(bytes);
    }, PAUSE_MS).unref();
    return false;
  }

  private receive(bytes: Buffer | null): boolean {
    this.readsLeft -= 1;
    let wantsMore = false;
    const hand = (work: () => void): void => this.handOver(() => void (this.destroyed || work()));
    const pass = (piece: Buffer | null): void => {
      wantsMore = false;
      hand(() => void (wantsMore = super.push(piece)));
    };
    if (bytes === null) pass(null);
    else {
      const taken = bytes.subarray(0, this.bytesLeft);
      this.bytesLeft -= taken.length;
      for (let at = 0; at < taken.length; at += PIECE) pass(taken.subarray(at, at + PIECE));
      // A connection whose end is being sent is reset afterwards, which an error would prevent.
      if (taken.length < bytes.length) hand(() => void (isEnding(this) || this.destroy(this.tooLarge())));
    }
    return wantsMore;
  }

  private tooLarge(): Error {
    const { code } = this.limit;
    return Object.assign(new Error('the server sent more bytes than are read'), { code });
  }
}
