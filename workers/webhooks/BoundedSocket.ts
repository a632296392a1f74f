import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';

/**
 * What an endpoint may send before the handshake is complete, in bytes. Usual chains of certificates have 3 to 8 kB. OpenSSL takes 100 KiB,
 * and verifies the signatures of all certificates on the event loop, also after the first error: the slowest of this length take 70 ms.
 */
const MOST_IN_HANDSHAKE = 12 * 1_024;
/**
 * What it may send for each request after that: the encrypted head of a response, and of its body more than is read. Session tickets and new
 * keys count too: those reach no reader that could bound them.
 */
const MOST_IN_RESPONSE = 64 * 1_024;
/** What OpenSSL gets in one piece. */
const PIECE = 16 * 1_024;

/**
 * The encrypted side of a TLS connection to a foreign server. It counts what is received before OpenSSL gets it, which
 * `tls.connect` has no option for, and ends the connection after too many.
 */
export class BoundedSocket extends Duplex {
  private allowed = MOST_IN_HANDSHAKE;
  private isSecure = false;

  /** @param handOver runs the processing of received bytes, now or later, in the order of the calls */
  constructor(
    private readonly raw: Socket,
    private readonly handOver: (work: () => void) => void,
  ) {
    super();
    raw.on('data', (bytes: Buffer) => this.receive(bytes));
    raw.on('end', () => this.pass(() => this.push(null)));
    raw.on('error', (error) => this.pass(() => this.destroy(error)));
    // After the end that was received before, if any, has been read.
    raw.on('close', () => this.pass(() => void setImmediate(() => this.destroy())));
  }

  /** Counts from the end of the handshake, and of each response, anew. */
  follow(tls: TLSSocket): void {
    const allow = (): void => {
      this.isSecure = true;
      this.allowed = MOST_IN_RESPONSE;
    };
    tls.on('secureConnect', allow).on('free', allow);
  }

  override _read(): void {
    this.raw.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.raw.write(bytes, done);
  }

  override _final(done: () => void): void {
    this.raw.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.raw.destroy();
    done(error);
  }

  private receive(bytes: Buffer): void {
    const taken = bytes.subarray(0, this.allowed);
    this.allowed -= taken.length;
    this.raw.pause();
    let wantsMore = true;
    for (let at = 0; at < taken.length; at += PIECE)
      this.pass(() => (wantsMore = this.push(taken.subarray(at, at + PIECE))));
    if (taken.length < bytes.length) this.pass(() => this.destroy(this.tooLarge()));
    this.pass(() => void (wantsMore && this.raw.resume()));
  }

  private tooLarge(): Error {
    const code = this.isSecure ? 'RESPONSE_TOO_LARGE' : 'HANDSHAKE_TOO_LARGE';
    return Object.assign(new Error('the endpoint sent more bytes than are read'), { code });
  }

  private pass(work: () => void): void {
    this.handOver(() => {
      if (!this.destroyed) work();
    });
  }
}
