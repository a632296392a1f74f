import type { ProviderName } from '../../config/paymentProviders';
import { GatewayUnavailable } from '../../shared/engine/errors';
import { type Span, traced } from '../../shared/engine/trace';
import { retryAfterMs } from '../retryAfter';
import { withDeadline } from '../withDeadline';
import type { Caller } from './Gateway';

/** One HTTP call to a provider that speaks JSON. */
export interface GatewayCall {
  provider: ProviderName;
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  /** Serialised by the caller, which decides how numbers are written. */
  body?: string;
  /** True if the call changes something at the provider: only then can its outcome be unknown. */
  changes: boolean;
  /** Milliseconds for the whole call: connecting, waiting, reading. */
  timeoutMs: number;
  caller?: Caller | undefined;
  /** Waits until the call may start. If it throws, the call is not made and throws the same error. */
  throttle?: Throttle | undefined;
  /** Called with each response, before it is judged by its status. The call throws its error if that is a {@link GatewayUnavailable}. */
  inspect?: (response: GatewayResponse & { headers: Headers }) => void;
}

/** The most bytes of a response. A hundred links, the largest request, take a twentieth of this. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The time without calls after a 429 that has none. Stripe sends no `Retry-After`. */
const UNSTATED_MS = 1_000;

/** Waits until the rate limit allows one call or the signal is aborted, see `ProviderRateLimit`. */
export type Throttle = (caller: Caller, signal: AbortSignal) => Promise<void>;

/** A response below 500 (and not 429). `body` is parsed JSON of any form, or null if the response was not JSON. */
export interface GatewayResponse {
  status: number;
  body: unknown;
}

/**
 * Makes the call over the runtime's kept-alive connections, once. Follows no redirect, so that credentials go to the
 * configured host alone.
 * @throws {GatewayUnavailable} when there is no response, or it is 5xx, 408 or 429. `outcomeUnknown` is true when the call
 * changes something and may have reached the provider.
 */
export function callGateway(call: GatewayCall): Promise<GatewayResponse> {
  const attributes = { 'http.request.method': call.method, 'server.address': new URL(call.url).hostname };
  return traced('call gateway', { kind: 'client', attributes }, (span) =>
    withDeadline(call.timeoutMs, call.caller?.signal, (signal) => callOnce(call, span, signal)),
  );
}

async function callOnce(call: GatewayCall, span: Span, signal: AbortSignal): Promise<GatewayResponse> {
  // The wait is part of the deadline: after a call with an unknown outcome, the next one starts when the deadline has passed.
  await call.throttle?.(call.caller ?? { companyId: 0, signal }, signal);
  try {
    const { method, headers, body } = call;
    const response = await fetch(call.url, { method, headers, body: body ?? null, signal, redirect: 'manual' });
    span.set({ 'http.response.status_code': response.status });
    const received = { status: response.status, body: parseJson(await boundedText(response)) };
    call.inspect?.({ ...received, headers: response.headers });
    if (response.status === 429) throw rateLimited(call.provider, response.headers);
    if (response.status >= 500 || response.status === 408) {
      throw new GatewayUnavailable(`the payment gateway responded with ${response.status}`, {
        outcomeUnknown: call.changes,
        provider: call.provider,
        retryAfterMs: response.status === 503 ? retryAfterMs(response.headers.get('retry-after')) : null,
      });
    }
    return received;
  } catch (error) {
    if (error instanceof GatewayUnavailable) throw error;
    const reason = signal.aborted ? 'did not respond in time' : 'cannot be reached';
    const outcomeUnknown = call.changes && !neverConnected(error);
    throw new GatewayUnavailable(`the payment gateway ${reason}`, { outcomeUnknown, cause: error });
  }
}

/** The socket's error, which is the cause of the error that fetch throws. */
interface SocketError {
  syscall?: unknown;
  code?: unknown;
  /** One error for each address of the host that was tried. */
  errors?: SocketError[];
}

/** Returns true for errors of the look-up or the connection, before anything was written. */
function neverConnected(error: unknown): boolean {
  const cause = (error as { cause?: SocketError | null }).cause ?? {};
  return (cause.errors ?? [cause]).every(
    ({ syscall, code }) => syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT',
  );
}

async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('the response is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function rateLimited(provider: ProviderName, headers: Headers): GatewayUnavailable {
  return new GatewayUnavailable('the payment gateway asks for fewer requests (429)', {
    outcomeUnknown: false,
    provider,
    retryAfterMs:
      retryAfterMs(headers.get('retry-after')) ?? retryAfterMs(headers.get('rate-limit-reset')) ?? UNSTATED_MS,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
