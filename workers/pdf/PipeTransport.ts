import type { Readable, Writable } from 'node:stream';
import type { ConnectionTransport } from 'puppeteer';

/**
 * DevTools protocol over the two pipes of `--remote-debugging-pipe`: JSON messages that end in a zero byte. No other process
 * can connect, and Chromium exits by itself when the pipes close.
 */
export class PipeTransport implements ConnectionTransport {
  onmessage?: (message: string) => void;
  onclose?: () => void;
  private pending: Buffer[] = [];
  private closed = false;

  constructor(
    private readonly toBrowser: Writable,
    fromBrowser: Readable,
  ) {
    const close = () => this.close();
    toBrowser.on('error', close);
    fromBrowser.on('error', close).on('close', close).on('data', this.read);
  }

  send(message: string): void {
    if (!this.closed) this.toBrowser.write(`${message}\0`);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.toBrowser.destroy();
    this.onclose?.();
  }

  private readonly read = (chunk: Buffer): void => {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      const message = Buffer.concat([...this.pending, chunk.subarray(start, end)]).toString();
      this.pending = [];
      start = end + 1;
      this.onmessage?.(message);
    }
    if (start < chunk.length) this.pending.push(chunk.subarray(start));
  };
}
