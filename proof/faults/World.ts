import type { Api, Installation, Wired } from '../../dev/installation/startInstallation';
import { type HttpCall, HttpClient, type HttpReply, jsonOf, newInvoice } from '../installation/HttpClient';
import { createApiKey } from '../../shared/apiKeys';
import { createClient } from '../../shared/clients';
import { createCompany, updateCompany } from '../../shared/companies';
import { createInvoice, type InvoiceInput } from '../../shared/invoices';

const actor = 'proof';
const requestTimeoutMs = 35_000;

/** An installation, and one company that uses it. */
export class World {
  private readonly clients: Map<Api, HttpClient>;
  /** The `webhook-id` of each webhook that the company's endpoint has received. */
  readonly received = new Set<string>();
  /** The kinds of operations that did not work again in time. */
  readonly broken: string[] = [];
  private subjects = 0;

  private constructor(
    readonly installation: Installation,
    readonly companyId: number,
    readonly token: string,
    /** Of the company. */
    readonly timezone: string,
  ) {
    this.clients = new Map(installation.apis.map((api) => [api, new HttpClient(api.url, token)]));
  }

  static async make(installation: Installation): Promise<World> {
    const { services } = installation;
    const timezone = timezoneAt(services.clock.now());
    const { id: companyId } = await services.performForInstallation(actor, (work) =>
      createCompany(work, { name: 'Northwind Trading', email: 'billing@northwind.example', timezone }),
    );
    const { token } = await services.perform({ companyId, actor }, (uow) =>
      createApiKey(uow, { name: 'proof', scopes: ['admin'] }),
    );
    return new World(installation, companyId, token, timezone);
  }

  /** Returns the same company for callers whose requests all go to a proxy in front of the APIs. */
  behind(url: string): World {
    const { installation, companyId, token, timezone } = this;
    return new World({ ...installation, apis: [{ ...this.firstApi, url }] }, companyId, token, timezone);
  }

  get processes(): readonly Wired[] {
    return [...this.installation.apis, ...this.installation.workers];
  }

  get firstApi(): Api {
    const [api] = this.installation.apis;
    if (api === undefined) throw new Error('there is no API');
    return api;
  }

  /**
   * Returns the 200 of the first API that responds with one, or null: an API that does not respond is part of the
   * fault.
   */
  async ask(path: string): Promise<HttpReply | null> {
    for (const api of this.installation.apis) {
      if (!api.machine.runs) continue;
      const reply = await this.send(api, { path, timeoutMs: 5_000 }).catch(() => null);
      if (reply?.status === 200) return reply;
    }
    return null;
  }

  /** Sends a request to one API. @throws {Error} when the connection fails or the response takes longer than 35 s. */
  send(api: Api, call: HttpCall): Promise<HttpReply> {
    const client = this.clients.get(api);
    if (client === undefined) throw new Error('an API of another installation');
    return client.send({ timeoutMs: requestTimeoutMs, ...call });
  }

  /** Creates a client, whose address identifies its messages, and by default a draft invoice. */
  async subject(): Promise<Subject> {
    const { services } = this.installation;
    const scope = { companyId: this.companyId, actor };
    const email = `subject-${++this.subjects}@client-${this.companyId}.example`;
    const { id: clientId } = await services.perform(scope, (uow) => createClient(uow, { name: 'A Client', email }));
    const body = newInvoice(clientId) as InvoiceInput;
    const { id: invoiceId } = await services.perform(scope, (uow) => createInvoice(uow, body));
    return { clientId, email, invoiceId };
  }

  /** Counts the messages that the mail server has accepted for this address. */
  async messagesTo(email: string): Promise<number> {
    return (await this.subjectsTo(email)).length;
  }

  /** Returns the subjects of these messages. Those of different invoices differ. */
  async subjectsTo(email: string): Promise<string[]> {
    const url = `${this.installation.mailboxUrl}/api/messages?limit=100&to=${encodeURIComponent(email)}`;
    return ((await (await fetch(url)).json()) as { subject: string }[]).map(({ subject }) => subject);
  }

  /** Returns every payment link that the gateway has created for an invoice, by any call. */
  async gatewayLinks(invoiceId: number): Promise<GatewayLink[]> {
    const rows = await this.installation.services.sql.rows<{ reference: string }>(
      'SELECT reference FROM payment_links WHERE companyId = ? AND invoiceId = ?',
      [this.companyId, invoiceId],
    );
    const ours = new Set(rows.map(({ reference }) => reference));
    const response = await fetch(`${this.installation.gatewayUrl}/links`);
    const { links } = (await response.json()) as { links: GatewayLink[] };
    return links.filter(({ external_id: reference }) => ours.has(reference));
  }

  /** Sets the provider of the company's new links. */
  async choose(gatewayProvider: 'xendit' | 'stripe'): Promise<void> {
    const { services } = this.installation;
    await services.perform({ companyId: this.companyId, actor }, (uow) => updateCompany(uow, { gatewayProvider }));
  }

  /** Returns the state of a job as the API shows it. */
  async job(id: number): Promise<{ status: string }> {
    const reply = await this.ask(`/api/jobs/${id}`);
    return reply === null ? { status: 'unknown' } : jsonOf(reply);
  }
}

export interface Subject {
  readonly clientId: number;
  readonly email: string;
  readonly invoiceId: number;
}

export interface GatewayLink {
  readonly id: string;
  readonly status: 'PENDING' | 'PAID' | 'SETTLED' | 'EXPIRED';
  /** Our reference. */
  readonly external_id: string;
  readonly invoice_url: string;
}

/**
 * Returns a zone in which it is between 09:00 and 21:00: reminders go out from 09:00, and the day does not change
 * during a round.
 */
export const timezoneAt = (now: Date): string =>
  now.getUTCHours() >= 9 && now.getUTCHours() < 21 ? 'UTC' : 'Pacific/Tarawa'; // 12 hours ahead, all year
