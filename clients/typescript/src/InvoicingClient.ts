import { ApiError } from './ApiError.js';
import { operations, type CallOptions, type FeedEvent, type FeedOptions } from './generated/operations.gen.js';
import type { Lists, Methods, Problem } from './generated/operations.gen.js';

const [MAX_ATTEMPTS, MAX_WAIT_MS, FEED_WAIT_S] = [5, 60_000, 25];
type Options = Readonly<{ baseUrl: string; apiKey: string }>;
type AnyCall = CallOptions & { path?: Record<string, unknown>; query?: Record<string, unknown>; body?: object };

/** Has a method for each operation of the service. Each throws an ApiError unless it succeeds. */
export class InvoicingClient extends (Object as unknown as new () => Methods) {
  readonly #options: Options; // Private to the language: a client that is logged does not show its key.

  constructor(options: Options) {
    super();
    if (!/^https?:/.test(options.baseUrl))
      throw new TypeError(`baseUrl must be an address such as https://invoices.example.com, not ${options.baseUrl}`);
    this.#options = options;
    for (const name of Object.keys(operations) as (keyof Methods)[]) {
      Object.assign(this, { [name]: async (call?: AnyCall) => readBody(await this.#send(name, call)) });
    }
  }

  /** Returns the response of an operation unread: for its headers, as a stream, or as CSV. */
  request<K extends keyof Methods>(operation: K, ...[call]: Parameters<Methods[K]>): Promise<Response> {
    return this.#send(operation, call);
  }

  /** Reads a list to its end, by cursor. Records that are not changed meanwhile are seen exactly once. */
  async *all<K extends keyof Lists>(operation: K, ...[call]: Parameters<Methods[K]>): AsyncGenerator<Lists[K], void> {
    for (let cursor: string | null = ''; cursor !== null;) {
      const response = await this.#send(operation, { ...call, query: { ...call?.query, cursor } });
      const page = (await response.json()) as { data: Lists[K][]; nextCursor: string | null };
      yield* page.data;
      cursor = page.nextCursor;
    }
  }

  /** Follows the feed without end, from what comes after `after`; without it, from the oldest event that is kept. */
  async *events({ after, types, signal }: FeedOptions = {}): AsyncGenerator<FeedEvent, never> {
    for (;;) {
      const page = await this.listEvents({ query: { after, types: types?.join(','), wait: FEED_WAIT_S }, signal });
      yield* page.data as FeedEvent[];
      after = page.nextAfter;
    }
  }

  async #send(operation: keyof Methods, { path, query = {}, body, signal, ...call }: AnyCall = {}): Promise<Response> {
    const [method = '', template = ''] = operations[operation].split(' ');
    const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path?.[name])));
    const url = new URL(this.#options.baseUrl.replace(/\/$/, '') + filled);
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    url.search = new URLSearchParams(given as [string, string][]).toString();
    const [fields, form]: [[string, unknown][], FormData] = [Object.entries(body ?? {}), new FormData()];
    const isForm = fields.some(([, value]) => value instanceof Blob);
    if (isForm) for (const [name, value] of fields) form.set(name, value as Blob);
    const headers = {
      Authorization: `Bearer ${this.#options.apiKey}`,
      ...(method === 'POST' && { 'Idempotency-Key': call.idempotencyKey ?? crypto.randomUUID() }),
      ...(body && !isForm && { 'Content-Type': 'application/json' }),
      ...call.headers,
    };
    const request = { method, headers, body: isForm ? form : JSON.stringify(body), signal: signal ?? null };
    for (let attempt = 1; ; attempt += 1) {
      const response = await fetch(url, request);
      if (response.ok) return response;
      const waitMs = waitAfter(attempt, response.headers.get('Retry-After') ?? '');
      const isFinal = ![429, 503].includes(response.status) || attempt === MAX_ATTEMPTS || waitMs > MAX_WAIT_MS;
      const problem = Object(await readBody(response)) as Problem | Blob;
      if (isFinal)
        throw new ApiError(response.status, response.headers.get('X-Request-Id'), 'code' in problem ? problem : null);
      await sleep(waitMs, signal);
    }
  }
}

const jsonType = /^application\/(problem\+)?json/;
const readBody = (response: Response): Promise<unknown> =>
  jsonType.test(response.headers.get('Content-Type') ?? '') ? response.json() : response.blob();

/** Returns the milliseconds that the service asks for, else twice as many after each attempt, with jitter. */
function waitAfter(attempt: number, retryAfter: string): number {
  const asked = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(asked) ? 2 ** attempt * 250 * (0.5 + Math.random()) : Math.max(asked, 0);
}

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => end(), ms);
    const end = (): void => resolve(clearTimeout(timer) ?? signal?.removeEventListener('abort', end));
    signal?.addEventListener('abort', end);
  });
  signal?.throwIfAborted();
}
