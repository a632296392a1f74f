import type { KeyObject } from 'node:crypto';
import { request as plainRequest, type ClientRequest, type OutgoingHttpHeaders, type RequestOptions } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { version } from '../../config/version';
import type { Clock } from '../../shared/engine/clock';
import { refuseFurtherHeads } from '../../shared/engine/http';
import { isPublicAddress, literalAddress, type DeliveryError } from '../../shared/webhooks';
import { CheckedAgents, type CompanyOption } from './CheckedAgents';
import { AddressNotAllowed, checkedLookup, resolveAnyName, type AddressCheck, type Resolve } from './checkedLookup';
import { deliveryErrorOf } from './deliveryErrorOf';
import { fairResolve } from './fairResolve';
import { PublicNames } from './PublicNames';
import { readStart } from './readStart';
import { signatures } from './signatures';

/** One request to an endpoint. */
export interface WebhookRequest {
  companyId: number;
  url: URL;
  /** `webhook-id`: the same in every attempt. */
  id: string;
  /** JSON. */
  body: string;
  keys: readonly KeyObject[];
  /** Called with what the request costs beyond the usual, in milliseconds of a processor. */
  charge: (ms: number) => void;
}

/** How an attempt ended: with a response, or with an error. */
export interface Attempt {
  status: number | null;
  /** The first 1,024 bytes of the response; null without one. */
  responseBody: string | null;
  error: DeliveryError | null;
  durationMs: number;
}

export interface SenderOptions {
  /** Lets requests go to any address, also to private ones. */
  allowPrivate: boolean;
  /** Milliseconds for all of a request: the look-up, the connection, the head of the response. */
  timeoutMs: number;
  clock: Clock;
  resolve?: Resolve;
  isAllowed?: AddressCheck;
  /** The certificates of the authorities to trust, as PEM. By default those that Node.js trusts. */
  authorities?: string;
}

/** What it costs to open a connection, beyond the processing of what its server sends. */
export const CONNECTION_MS = 1;
/** What each byte of a body costs to read from MySQL (some are read twice, because they did not fit into a batch), to sign and to send. */
const BYTE_MS = 22e-6;
/** Of the head of a response, in bytes. */
const MOST_HEAD = 16 * 1_024;
/** So many interim responses (1xx) make a response invalid: 64 KiB have 2,600 of them, which take 50 ms. */
const MOST_INTERIM = 8;

/**
 * Look-ups of a company at the same time. By the machine's own look-up it is one: all look-ups of the process share two threads, and a name
 * whose server is silent occupies one for 10 s.
 */
const LOOK_UPS_OF_COMPANY = 3;

/** Sends events as Standard Webhooks describe it. */
export class WebhookSender {
  private readonly agents: CheckedAgents;
  private readonly publicNames = new PublicNames();
  private readonly isAllowed: AddressCheck;

  constructor(private readonly options: SenderOptions) {
    const { allowPrivate } = options;
    this.isAllowed = options.isAllowed ?? (allowPrivate ? () => true : isPublicAddress);
    const resolve = options.resolve ?? (allowPrivate ? resolveAnyName : this.publicNames.resolve);
    const lookUp = fairResolve(resolve, allowPrivate ? 1 : LOOK_UPS_OF_COMPANY);
    const lookup = (companyId: number) => checkedLookup((name) => lookUp(companyId, name), this.isAllowed);
    this.agents = new CheckedAgents(lookup, this.isAllowed, options.authorities);
  }

  /**
   * Sends a request, follows no redirect, and returns how it ended; null if `signal` was aborted before. Never throws. The request is
   * retried if the server closes a kept-alive connection while it is in use: whether it was received is then unknown.
   */
  async send(request: WebhookRequest, signal: AbortSignal): Promise<Attempt | null> {
    const started = performance.now();
    const deadline = started + this.options.timeoutMs;
    let ended = await this.sendOnce(request, signal, deadline, false);
    if (ended === 'stale') ended = await this.sendOnce(request, signal, deadline, true);
    if (ended === null || ended === 'stale') return null;
    return { ...ended, durationMs: Math.round(performance.now() - started) };
  }

  close(): void {
    this.agents.close();
    this.publicNames.close();
  }

  private sendOnce(
    { companyId, url, id, body, keys, charge }: WebhookRequest,
    signal: AbortSignal,
    deadline: number,
    isFresh: boolean,
  ): Promise<Ended | 'stale' | null> {
    const address = literalAddress(url);
    if (address !== null && !this.isAllowed(address)) return Promise.resolve(failed(new AddressNotAllowed(address)));
    if (signal.aborted) return Promise.resolve(null);
    const timestamp = Math.floor(this.options.clock.now().getTime() / 1_000);
    const bytes = Buffer.byteLength(body);
    charge(bytes * BYTE_MS);
    const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
    const options: RequestOptions & CompanyOption = {
      companyId,
      charge,
      method: 'POST',
      agent: this.agents.of(url.protocol, isFresh),
      maxHeaderSize: MOST_HEAD,
      headers: {
        'content-type': 'application/json',
        'content-length': bytes,
        'user-agent': `invoicing-service/${version}`,
        'accept-encoding': 'identity',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatures(keys, id, timestamp, body),
      } satisfies OutgoingHttpHeaders,
    };
    const request = send(url, options);
    if (!request.reusedSocket) charge(CONNECTION_MS);
    return endOf(request, body, signal, deadline);
  }
}

type Ended = Omit<Attempt, 'durationMs'>;

const failed = (error: unknown): Ended => ({ status: null, responseBody: null, error: deliveryErrorOf(error) });

const timedOut = (): Error => Object.assign(new Error('the endpoint did not respond in time'), { code: 'TIMED_OUT' });

/** Sends the body and waits for the end. `stale`: the server has closed a kept-alive connection. Null: aborted. */
function endOf(
  request: ClientRequest,
  body: string,
  signal: AbortSignal,
  deadline: number,
): Promise<Ended | 'stale' | null> {
  let hasResponse = false;
  let interim = 0;
  return new Promise((resolve) => {
    const abort = (): void => void request.destroy(new Error('the request was aborted'));
    const late = setTimeout(() => request.destroy(timedOut()), Math.max(0, deadline - performance.now()));
    const end = (ended: Ended | 'stale' | null): void => {
      clearTimeout(late);
      signal.removeEventListener('abort', abort);
      resolve(ended);
    };
    signal.addEventListener('abort', abort);
    request.on('information', () => {
      interim += 1;
      if (interim === MOST_INTERIM && request.socket) refuseFurtherHeads(request.socket);
    });
    request.on('response', (response) => {
      hasResponse = true;
      clearTimeout(late);
      // Those of responses that nothing asked for.
      refuseFurtherHeads(response.socket);
      const { statusCode: status = 0 } = response;
      void readStart(response).then((responseBody) => {
        // Null: it is kept for the next request. Else it is not to be kept, or its server has not read this one, and may never do so.
        (response.socket as Socket | null)?.destroy();
        end({ status, responseBody, error: null });
      });
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (hasResponse) return;
      if (signal.aborted) return end(null);
      const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      end(request.reusedSocket && isClosed ? 'stale' : failed(error));
    });
    request.on('close', () => {
      // An upgrade that was not requested ends without an error. After an error this changes nothing.
      if (!hasResponse) end(failed(null));
    });
    request.end(body);
  });
}
