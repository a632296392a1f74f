import { setTimeout as sleep } from 'node:timers/promises';
import type { Callback, News } from './callbackOf';
import type { SandboxLink } from './SandboxLink';

/** The outcome of a callback, for `GET /links`. */
export interface CallbackRecord {
  linkId: string;
  status: SandboxLink['status'];
  /** HTTP status of each attempt in turn; 0 without a response. */
  answers: number[];
  delivered: boolean;
}

const keptRecords = 1000;
const timeoutMs = 10_000;

/**
 * Reports payments to our API as the provider does: by `POST` to `<url>/<provider>`, retried after each of the delays
 * until the response is 2xx.
 */
export class CallbackSender {
  readonly records: CallbackRecord[] = [];
  readonly #closing = new AbortController();

  constructor(
    private readonly url: () => string | null,
    private readonly callbackOf: (link: SandboxLink, news: News) => Callback | null,
    private readonly retryDelaysMs: readonly number[],
  ) {}

  /** Resolves when it was delivered, the retries are used up, or the sender was closed. */
  async send(link: SandboxLink, news: News): Promise<void> {
    const callback = () => this.callbackOf(link, news);
    if (callback() === null) return;
    const record: CallbackRecord = { linkId: link.id, status: link.status, answers: [], delivered: false };
    this.records.push(record);
    if (this.records.length > keptRecords) this.records.shift();
    for (const delayMs of [0, ...this.retryDelaysMs]) {
      // Unreferenced: the delay does not keep an ending process alive.
      if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
      const url = this.url();
      if (this.#closing.signal.aborted || url === null) return;
      const status = await this.#post(url, callback);
      record.answers.push(status);
      record.delivered = status >= 200 && status < 300;
      if (record.delivered) return;
    }
  }

  /** Cancels unsent callbacks. */
  close(): void {
    this.#closing.abort();
  }

  async #post(url: string, callbackOf: () => Callback | null): Promise<number> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeoutMs)]);
    const callback = callbackOf();
    if (callback === null) return 0;
    const { provider, headers, body } = callback;
    try {
      const response = await fetch(`${url}/${provider}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body,
        signal,
      });
      await response.arrayBuffer();
      return response.status;
    } catch (error) {
      process.stderr.write(`sandbox gateway: no response to a callback (${String((error as Error).cause ?? error)})\n`);
      return 0;
    }
  }
}
