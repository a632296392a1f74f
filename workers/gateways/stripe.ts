import { AsyncLocalStorage } from 'node:async_hooks';
import type Stripe from 'stripe' with { 'resolution-mode': 'import' };
import type { Config } from '../../config/env';
import { GatewayRefused, GatewayUnavailable } from '../../shared/engine/errors';
import { toStripeUnits } from '../../shared/paymentLinks';
import { callGateway, type Throttle } from './callGateway';
import {
  type Caller,
  type FindOrCreate,
  type Gateway,
  type GatewayLink,
  type NewLink,
  PartlyExpired,
  type ReadOptions,
  type RecordedLink,
} from './Gateway';
import { linksOfStripe, readStripeLink, readStripeSessions, type StripeLink } from './stripeLink';
import { refused, unreadable } from './responses';

/** Pages of links that are searched for a reference, the newest first: Stripe cannot list by metadata. */
const PAGES = 20;
const PER_PAGE = 100;
/** By how much a row may be older than another whose link Stripe has made before: its calls may have failed for a while. */
const SOONER_MS = 3_600_000;
/** Pages of open sessions that one run reads: Stripe may refuse to end some. */
const SESSION_PAGES = 20;
/** For how long one run ends sessions: each payer who opens a link has one for a day, and jobs of others wait for the slot. */
const ENDING_MS = 2_000;

interface Sdk {
  readonly api: Stripe;
  readonly StripeError: typeof Stripe.errors.StripeError;
}

/** Stripe keeps a failure under the idempotency key, or a call with other parameters. Only another key can succeed. */
class StoredFailure extends GatewayUnavailable {
  constructor() {
    super('the payment gateway keeps the outcome of an earlier call', { outcomeUnknown: true });
    this.name = 'StoredFailure';
  }
}

/**
 * Payment links of Stripe (API reference, "Payment Links"): unlike Checkout Sessions they live until they are deactivated. Each can be
 * completed once. Our reference is the idempotency key; it is also in the metadata, which sessions and events have too.
 */
export class StripeGateway implements Gateway {
  readonly provider = 'stripe';
  /** The idempotency key lets Stripe carry out one call only. */
  readonly unknownForMs = 0;
  #sdk: Promise<Sdk> | undefined;
  readonly #callers = new AsyncLocalStorage<Caller | undefined>();

  constructor(
    private readonly settings: Config['gateway'],
    private readonly throttle?: Throttle,
  ) {}

  /** Loads the SDK at the first call. */
  async #open(): Promise<Sdk> {
    const { baseUrl, secretKey } = this.settings.providers.stripe;
    const { protocol, hostname, port } = new URL(baseUrl);
    const isPlain = protocol === 'http:';
    const { default: Stripe } = await import('stripe');
    const api = new Stripe(secretKey, {
      host: hostname,
      port: port || (isPlain ? 80 : 443),
      protocol: isPlain ? 'http' : 'https',
      timeout: this.settings.timeoutMs,
      maxNetworkRetries: 0,
      telemetry: false,
      httpClient: Stripe.createFetchHttpClient((url: string | URL | Request, init?: RequestInit) =>
        this.#fetch(url as string, init ?? {}),
      ),
    });
    return { api, StripeError: Stripe.errors.StripeError };
  }

  async findOrCreateLink(link: NewLink, { calledBefore, caller }: FindOrCreate): Promise<GatewayLink> {
    const found = calledBefore ? await this.#byReference(link, caller) : [];
    const known = found.find(({ status }) => status !== 'expired');
    if (known !== undefined) return known;
    const made = await this.#createOnce(link, caller);
    // Under a key that was used before, the response may be a stored one, so the current state of the link is read.
    return calledBefore ? (await this.#withSessions(await this.#retrieve(made.id, caller), caller))[0] : made;
  }

  async #createOnce(link: NewLink, caller?: Caller): Promise<GatewayLink> {
    try {
      return await this.#create(link, link.reference, caller);
    } catch (error) {
      if (!(error instanceof StoredFailure)) throw error;
      return this.#create(link, `${link.reference}:2`, caller);
    }
  }

  /** Refunds and disputes are always read. */
  async linksOf(recorded: RecordedLink, { caller }: ReadOptions = {}): Promise<GatewayLink[]> {
    if (recorded.gatewayId === null) return this.#byReference(recorded, caller);
    const link = await this.#retrieve(recorded.gatewayId, caller);
    // A failed first call may have created another link.
    if (link.metadata.key !== recorded.reference) return this.#byReference(recorded, caller);
    return this.#withSessions(link, caller);
  }

  async #retrieve(id: string, caller?: Caller): Promise<StripeLink> {
    return readStripeLink(await this.#call(caller, (api) => api.paymentLinks.retrieve(id)));
  }

  async expireLink(id: string, caller?: Caller): Promise<GatewayLink> {
    const updated = await this.#call(caller, (api) => api.paymentLinks.update(id, { active: false }));
    // Deactivating ends no session that a payer has open.
    const until = performance.now() + ENDING_MS;
    let ended = 0;
    for (let page = 0; page < SESSION_PAGES; page++) {
      const open = await this.#sessions(id, 'open', caller);
      for (const session of open) {
        if (await this.#expireSession(session.id, caller)) ended++;
        // A run that has ended none would be repeated without an end.
        if (ended > 0 && performance.now() > until) throw new PartlyExpired();
      }
      if (open.length < PER_PAGE) return (await this.#withSessions(readStripeLink(updated), caller))[0];
    }
    throw new GatewayUnavailable('the payment gateway does not end the sessions of a link', { outcomeUnknown: true });
  }

  /** Returns false if the session was completed, or has expired, meanwhile. The caller reads the link's state. */
  async #expireSession(id: string, caller?: Caller): Promise<boolean> {
    try {
      await this.#call(caller, (api) => api.checkout.sessions.expire(id));
      return true;
    } catch (error) {
      if (error instanceof GatewayRefused) return false;
      throw error;
    }
  }

  async #create(link: NewLink, key: string, caller?: Caller): Promise<GatewayLink> {
    const { reference, createdAt, amount, currency, description, successUrl } = link;
    const units = toStripeUnits(amount, currency);
    if (!Number.isSafeInteger(units) || units <= 0) {
      throw new GatewayRefused(`the payment gateway cannot take the amount ${amount}`);
    }
    const made = await this.#call(caller, (api) =>
      api.paymentLinks.create(
        {
          line_items: [
            {
              price_data: { currency: currency.toLowerCase(), unit_amount: units, product_data: { name: description } },
              quantity: 1,
            },
          ],
          restrictions: { completed_sessions: { limit: 1 } },
          metadata: { reference, amount, currency, key, at: createdAt.toISOString() },
          payment_intent_data: { description, metadata: { reference } },
          ...(successUrl !== undefined && {
            after_completion: { type: 'redirect', redirect: { url: successUrl } },
          }),
        },
        { idempotencyKey: key },
      ),
    );
    return linksOfStripe(readStripeLink(made), [])[0];
  }

  /**
   * Returns every link with this reference, in any state. The search ends where all links of a page are older than the row: an account may
   * have any number of links.
   * @throws {GatewayUnavailable} if none is among the newest ones and the search did not get that far: an older one may be payable.
   */
  async #byReference(
    { reference, createdAt }: Omit<RecordedLink, 'gatewayId'>,
    caller?: Caller,
  ): Promise<GatewayLink[]> {
    const found: StripeLink[] = [];
    let after: string | undefined;
    let isWhole = false;
    for (let page = 0; page < PAGES && !isWhole; page++) {
      const { data, has_more: hasMore } = await this.#call(caller, (api) =>
        api.paymentLinks.list({ limit: PER_PAGE, ...(after !== undefined && { starting_after: after }) }),
      );
      found.push(...data.filter(({ metadata }) => metadata.reference === reference).map(readStripeLink));
      after = data.at(-1)?.id;
      const newest = Math.max(...data.map(({ metadata }) => Date.parse(metadata['at'] ?? '') || -Infinity));
      isWhole = !hasMore || after === undefined || (newest > -Infinity && newest < createdAt.getTime() - SOONER_MS);
    }
    if (!isWhole && found.length === 0) {
      throw new GatewayUnavailable('the payment link is not among the newest ones', { outcomeUnknown: true });
    }
    return (await Promise.all(found.map((link) => this.#withSessions(link, caller)))).flat();
  }

  /** Returns the link once for each of its payments, see {@link linksOfStripe}. */
  async #withSessions(link: StripeLink, caller?: Caller): Promise<ReturnType<typeof linksOfStripe>> {
    const sessions = await this.#sessions(link.id, 'complete', caller);
    const disputed = sessions
      .filter(({ payment_intent: payment }) => payment?.latest_charge?.disputed === true)
      .map(({ payment_intent: payment }) => payment?.id);
    const [first, ...others] = linksOfStripe(link, sessions);
    const read = (one: GatewayLink): Promise<GatewayLink> | GatewayLink =>
      disputed.includes(one.paymentId ?? '') ? this.#withDispute(one, caller) : one;
    return Promise.all([read(first), ...others.map(read)]);
  }

  async #withDispute(read: GatewayLink, caller?: Caller): Promise<GatewayLink> {
    const params = { payment_intent: read.paymentId ?? '', limit: PER_PAGE };
    const { data } = await this.#call(caller, (api) => api.disputes.list(params));
    const [first] = data.map(({ created }) => created).sort((a, b) => a - b);
    return { ...read, disputedAt: first === undefined ? null : new Date(first * 1_000) };
  }

  async #sessions(link: string, status: 'open' | 'complete', caller?: Caller) {
    const expand = ['data.payment_intent.latest_charge'];
    const params = { payment_link: link, status, limit: PER_PAGE, ...(status === 'complete' && { expand }) };
    return readStripeSessions(await this.#call(caller, (api) => api.checkout.sessions.list(params)));
  }

  /** @throws {GatewayRefused}; {@link GatewayUnavailable}. */
  async #call<T>(caller: Caller | undefined, call: (api: Stripe) => Promise<T>): Promise<T> {
    const { api, StripeError } = await (this.#sdk ??= this.#open());
    try {
      return await this.#callers.run(caller, () => call(api));
    } catch (error) {
      throw toGatewayError(error, StripeError);
    }
  }

  /** Makes one HTTP call of the SDK in the same way as calls to other providers. */
  async #fetch(url: string, { method = 'GET', headers, body }: RequestInit): Promise<Response> {
    const changes = method !== 'GET';
    const response = await callGateway({
      provider: this.provider,
      method: changes ? 'POST' : 'GET',
      url,
      headers: Object.fromEntries(new Headers(headers).entries()),
      ...(changes && typeof body === 'string' && { body }),
      changes,
      timeoutMs: this.settings.timeoutMs,
      caller: this.#callers.getStore(),
      throttle: this.throttle,
      inspect: ({ status, headers: received, body: problem }) => {
        if (status >= 500 && received.get('idempotent-replayed') === 'true') throw new StoredFailure();
        // A 429 about one object, not about the account: calls about others go on.
        if (status === 429 && codeOf(problem) === 'lock_timeout') {
          throw new GatewayUnavailable('the payment gateway is busy with the same object', { outcomeUnknown: false });
        }
      },
    });
    if (response.body === null) throw unreadable(changes);
    return new Response(JSON.stringify(response.body), { status: response.status });
  }
}

/** Returns the code of Stripe's error. */
const codeOf = (body: unknown): unknown => (body as { error?: { code?: unknown } | null } | null)?.error?.code;

function toGatewayError(error: unknown, StripeError: Sdk['StripeError']): unknown {
  if (!(error instanceof StripeError)) return error;
  const { statusCode, code, detail, type } = error;
  // Thrown by the call, or by the wait for the rate limit: the SDK reports both as a lost connection.
  if ((detail as unknown) instanceof Error) return detail;
  // Another call under the same idempotency key is in progress.
  if (statusCode === 409)
    return new GatewayUnavailable('the payment gateway is busy with the same request', { outcomeUnknown: true });
  if (type === 'StripeIdempotencyError') return new StoredFailure();
  if (statusCode === undefined) return unreadable(true);
  return refused(statusCode, code, error.message);
}
