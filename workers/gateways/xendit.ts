import { ConfigurationError, type Config } from '../../config/env';
import { GatewayRefused, GatewayUnavailable } from '../../shared/errors';
import { callGateway, type GatewayAnswer, type GatewayCall } from './callGateway';
import type { Gateway, GatewayLink, NewLink } from './Gateway';
import { linkOfXenditInvoice, requestOfNewLink } from './xenditInvoice';

/** The most that one list call gives (API reference, "List all invoices"). */
const listLimit = 100;

/** Payment links as Xendit invoices (API reference, "Invoices"). Amounts go over as JSON numbers, exact to the cent. */
export class XenditGateway implements Gateway {
  readonly provider = 'xendit';
  readonly #baseUrl: string;
  readonly #timeoutMs: number;
  readonly #headers: Record<string, string>;

  /** @throws {ConfigurationError} when the secret key is empty */
  constructor(settings: Config['gateway']) {
    if (settings.xenditSecretKey === '') {
      throw new ConfigurationError(['XENDIT_SECRET_KEY is empty; set the secret key of your account, "xnd_…"']);
    }
    this.#baseUrl = settings.xenditBaseUrl;
    this.#timeoutMs = settings.timeoutMs;
    this.#headers = {
      Authorization: `Basic ${Buffer.from(`${settings.xenditSecretKey}:`).toString('base64')}`,
      'Content-Type': 'application/json',
    };
  }

  async createLink(link: NewLink, signal?: AbortSignal): Promise<GatewayLink> {
    const body = requestOfNewLink(link);
    if (body === null) throw new GatewayRefused(`the payment gateway cannot take the amount ${link.amount}`);
    const answer = await this.#call({ method: 'POST', path: '/v2/invoices', body, changes: true, signal });
    return linkOf(accepted(answer), true);
  }

  async findLinks(reference: string, signal?: AbortSignal): Promise<GatewayLink[]> {
    const query = new URLSearchParams({ external_id: reference, limit: String(listLimit) });
    const answer = await this.#call({
      method: 'GET',
      path: `/v2/invoices?${query.toString()}`,
      changes: false,
      signal,
    });
    const { body } = accepted(answer);
    if (!Array.isArray(body)) throw unreadable(false);
    const links = body.map((invoice: unknown) => linkOf({ status: answer.status, body: invoice }, false));
    return links.filter((link) => link.reference === reference);
  }

  async getLink(id: string, signal?: AbortSignal): Promise<GatewayLink | null> {
    const path = `/v2/invoices/${encodeURIComponent(id)}`;
    const answer = await this.#call({ method: 'GET', path, changes: false, signal });
    return answer.status === 404 ? null : linkOf(accepted(answer), false);
  }

  async expireLink(id: string, signal?: AbortSignal): Promise<GatewayLink> {
    const path = `/invoices/${encodeURIComponent(id)}/expire!`;
    const answer = await this.#call({ method: 'POST', path, changes: true, signal });
    if (answer.status < 300) return linkOf(answer, true);
    // Refused because it has ended already, most likely: what it is now decides.
    const link = await this.getLink(id, signal);
    if (link === null || link.status === 'pending') throw refusal(answer);
    return link;
  }

  #call(call: Pick<GatewayCall, 'method' | 'body' | 'changes' | 'signal'> & { path: string }): Promise<GatewayAnswer> {
    const { path, ...rest } = call;
    return callGateway({ ...rest, url: this.#baseUrl + path, headers: this.#headers, timeoutMs: this.#timeoutMs });
  }
}

function accepted(answer: GatewayAnswer): GatewayAnswer {
  if (answer.status < 200 || answer.status >= 300) throw refusal(answer);
  return answer;
}

function linkOf(answer: GatewayAnswer, changes: boolean): GatewayLink {
  const link = linkOfXenditInvoice(answer.body);
  if (link === null) throw unreadable(changes);
  return link;
}

function unreadable(outcomeUnknown: boolean): GatewayUnavailable {
  return new GatewayUnavailable('the payment gateway gave an answer that is not understood', { outcomeUnknown });
}

const isAboutKey = ({ status }: GatewayAnswer) => status === 401 || status === 403;

/** Errors are `{ error_code, message }` (API reference, "Errors"). */
function refusal(answer: GatewayAnswer): GatewayRefused {
  const { error_code: code, message } = (answer.body ?? {}) as Record<string, unknown>;
  const named = typeof code === 'string' ? `${answer.status} ${code.slice(0, 100)}` : String(answer.status);
  if (isAboutKey(answer)) {
    return new GatewayRefused(`the payment gateway does not accept the configured key for this (${named})`);
  }
  const detail = typeof message === 'string' ? `: ${message.slice(0, 300)}` : '';
  return new GatewayRefused(`the payment gateway refused the request (${named})${detail}`);
}
