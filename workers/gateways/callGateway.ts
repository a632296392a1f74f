import { GatewayUnavailable } from '../../shared/kernel/errors';
import { traced, type Span } from '../../shared/kernel/trace';

/** One HTTP call to a provider that speaks JSON. */
export interface GatewayCall {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  /** Serialised already, so that the caller decides how numbers are written. */
  body?: string;
  /** True when carrying the call out changes something: only then can its outcome be unknown. */
  changes: boolean;
  /** Milliseconds for all of it: connecting, waiting, reading. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** A response below 500 (and not 429). `body` is parsed JSON of any form, or null when the response was no JSON. */
export interface GatewayResponse {
  status: number;
  body: unknown;
}

const longestWaitMs = 3_600_000;

/**
 * Makes the call over the runtime's kept-alive connections, once. Follows no redirect, so that credentials go to the
 * configured host alone.
 * @throws {GatewayUnavailable} when there is no response, or it is 5xx, 408 or 429. `outcomeUnknown` is true when the call
 * changes something and may have reached the provider.
 */
export function callGateway(call: GatewayCall): Promise<GatewayResponse> {
  const attributes = { 'http.request.method': call.method, 'server.address': new URL(call.url).hostname };
  return traced('call gateway', { kind: 'client', attributes }, (span) => callOnce(call, span));
}

async function callOnce(call: GatewayCall, span: Span): Promise<GatewayResponse> {
  const deadline = AbortSignal.timeout(call.timeoutMs);
  const signal = call.signal ? AbortSignal.any([deadline, call.signal]) : deadline;
  try {
    const { method, headers, body } = call;
    const response = await fetch(call.url, { method, headers, body: body ?? null, signal, redirect: 'manual' });
    span.set({ 'http.response.status_code': response.status });
    const text = await response.text();
    if (response.status === 429) throw rateLimited(response.headers);
    if (response.status >= 500 || response.status === 408) {
      throw new GatewayUnavailable(`the payment gateway responded with ${response.status}`, {
        outcomeUnknown: call.changes,
      });
    }
    return { status: response.status, body: parseJson(text) };
  } catch (error) {
    if (error instanceof GatewayUnavailable) throw error;
    const reason = signal.aborted ? 'did not respond in time' : 'cannot be reached';
    const outcomeUnknown = call.changes && !neverConnected(error);
    throw new GatewayUnavailable(`the payment gateway ${reason}`, { outcomeUnknown, cause: error });
  }
}

/** What the socket said, under the error that fetch throws. */
interface SocketError {
  syscall?: unknown;
  code?: unknown;
  /** One for each address of the host that was tried. */
  errors?: SocketError[];
}

/** True for errors from looking up the host or connecting, before anything was written. */
function neverConnected(error: unknown): boolean {
  const cause = (error as { cause?: SocketError | null }).cause ?? {};
  return (cause.errors ?? [cause]).every(
    ({ syscall, code }) => syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT',
  );
}

function rateLimited(headers: Headers): GatewayUnavailable {
  const retryAfterMs = waitMs(headers.get('retry-after')) ?? waitMs(headers.get('rate-limit-reset'));
  return new GatewayUnavailable('the payment gateway asks for fewer requests (429)', {
    outcomeUnknown: false,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  });
}

/** Seconds, seconds since 1970, or a date (RFC 9110, 10.2.3), as milliseconds from now: at most an hour. */
function waitMs(header: string | null): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  const at = Number.isNaN(seconds) ? Date.parse(header) : seconds > 1e9 ? seconds * 1000 : Date.now() + seconds * 1000;
  return Number.isNaN(at) ? null : Math.min(Math.max(Math.ceil(at - Date.now()), 0), longestWaitMs);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
