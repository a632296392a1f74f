import type { Config } from '../../config/env';
import { GatewayRefused } from '../../shared/engine/errors';
import { callGateway, type GatewayResponse, type GatewayCall, type Throttle } from './callGateway';
import type { Caller, FindOrCreate, Gateway, GatewayLink, NewLink, ReadOptions, RecordedLink } from './Gateway';
import { refused, unreadable } from './responses';
import { linkOfXenditInvoice, refundedOfXendit, requestOfNewLink } from './xenditInvoice';

/** The most invoices of one list call (API reference, "List all invoices"). */
const listLimit = 100;

/** Payment links as Xendit invoices (API reference, "Invoices"). Amounts are sent as JSON numbers, exact to the cent. */
export class XenditGateway implements Gateway {
  readonly provider = 'xendit';
  /** Xendit has no idempotency key for invoices: when no call can be running any more, the created ones are found by their reference. */
  readonly unknownForMs: number;
  readonly #baseUrl: string;
  readonly #timeoutMs: number;
  readonly #headers: Record<string, string>;

  constructor(
    settings: Config['gateway'],
    private readonly throttle?: Throttle,
  ) {
    const { baseUrl, secretKey } = settings.providers.xendit;
    this.#baseUrl = baseUrl;
    this.#timeoutMs = settings.timeoutMs;
    this.unknownForMs = settings.timeoutMs;
    this.#headers = {
      Authorization: `Basic ${Buffer.from(`${secretKey}:`).toString('base64')}`,
      'Content-Type': 'application/json',
    };
  }

  async findOrCreateLink(link: NewLink, { calledBefore, caller }: FindOrCreate): Promise<GatewayLink> {
    const found = calledBefore ? await this.findLinks(link.reference, caller) : [];
    return found.find(({ status }) => status !== 'expired') ?? this.createLink(link, caller);
  }

  async linksOf({ reference }: RecordedLink, { ofPayment = false, caller }: ReadOptions = {}): Promise<GatewayLink[]> {
    const links = await this.findLinks(reference, caller);
    if (!ofPayment) return links;
    const withRefunds = async (link: GatewayLink): Promise<GatewayLink> =>
      link.status === 'paid' ? { ...link, refundedAmount: await this.#refunded(link.id, caller) } : link;
    return Promise.all(links.map(withRefunds));
  }

  /** Creates a link. Two calls with one reference create two. */
  async createLink(link: NewLink, caller?: Caller): Promise<GatewayLink> {
    const body = requestOfNewLink(link);
    if (body === null) throw new GatewayRefused(`the payment gateway cannot take the amount ${link.amount}`);
    const response = await this.#call({ method: 'POST', path: '/v2/invoices', body, changes: true, caller });
    return linkOf(accepted(response), true);
  }

  /** Returns every link with exactly this reference, in any state. */
  async findLinks(reference: string, caller?: Caller): Promise<GatewayLink[]> {
    const query = new URLSearchParams({ external_id: reference, limit: String(listLimit) });
    const response = await this.#call({
      method: 'GET',
      path: `/v2/invoices?${query.toString()}`,
      changes: false,
      caller,
    });
    const { body } = accepted(response);
    if (!Array.isArray(body)) throw unreadable(false);
    const links = body.map((invoice: unknown) => linkOf({ status: response.status, body: invoice }, false));
    return links.filter((link) => link.reference === reference);
  }

  /** Returns the link, or null if Xendit does not know the id. */
  async getLink(id: string, caller?: Caller): Promise<GatewayLink | null> {
    const path = `/v2/invoices/${encodeURIComponent(id)}`;
    const response = await this.#call({ method: 'GET', path, changes: false, caller });
    return response.status === 404 ? null : linkOf(accepted(response), false);
  }

  async expireLink(id: string, caller?: Caller): Promise<GatewayLink> {
    const path = `/invoices/${encodeURIComponent(id)}/expire!`;
    const response = await this.#call({ method: 'POST', path, changes: true, caller });
    if (response.status < 300) return linkOf(response, true);
    // It has probably ended already, so its state is read.
    const link = await this.getLink(id, caller);
    if (link === null || link.status === 'pending') throw refusal(response);
    return link;
  }

  async #refunded(id: string, caller?: Caller): Promise<string> {
    const query = new URLSearchParams({ invoice_id: id, limit: String(listLimit) });
    const path = `/refunds?${query.toString()}`;
    const refunded = refundedOfXendit(accepted(await this.#call({ method: 'GET', path, changes: false, caller })).body);
    if (refunded === null) throw unreadable(false);
    return refunded;
  }

  #call(
    request: Pick<GatewayCall, 'method' | 'body' | 'changes' | 'caller'> & { path: string },
  ): Promise<GatewayResponse> {
    const { path, ...rest } = request;
    const call = { ...rest, url: this.#baseUrl + path, headers: this.#headers, timeoutMs: this.#timeoutMs };
    return callGateway({ ...call, provider: this.provider, throttle: this.throttle });
  }
}

function accepted(response: GatewayResponse): GatewayResponse {
  if (response.status < 200 || response.status >= 300) throw refusal(response);
  return response;
}

function linkOf(response: GatewayResponse, changes: boolean): GatewayLink {
  const link = linkOfXenditInvoice(response.body);
  if (link === null) throw unreadable(changes);
  return link;
}

/** Returns the error of a response `{ error_code, message }` (API reference, "Errors"). */
function refusal({ status, body }: GatewayResponse): GatewayRefused {
  const { error_code: code, message } = (body ?? {}) as Record<string, unknown>;
  return refused(status, code, message);
}
