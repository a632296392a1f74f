import type { Api, Installation, Wired } from '../installation/startInstallation';
import { HttpClient, jsonOf, type HttpCall, type HttpReply } from '../installation/HttpClient';
import { createApiKey } from '../../shared/usecases/apiKeys/createApiKey';
import { createClient } from '../../shared/usecases/clients/createClient';
import { createCompany, noCompany } from '../../shared/usecases/companies/createCompany';
import { createInvoice } from '../../shared/usecases/invoices/createInvoice';
import type { InvoiceInput } from '../../shared/usecases/invoices/InvoiceInput';
import { newInvoice } from '../isolation/newInvoice';

const actor = 'proof';
const requestTimeoutMs = 35_000;

/** What the rows play with: an installation, and one company that uses it. */
export class World {
  private readonly clients: Map<Api, HttpClient>;
  private subjects = 0;

  private constructor(
    readonly installation: Installation,
    readonly companyId: number,
    readonly token: string,
  ) {
    this.clients = new Map(installation.apis.map((api) => [api, new HttpClient(api.url, token)]));
  }

  static async make(installation: Installation): Promise<World> {
    const { services } = installation;
    const { id: companyId } = await services.perform(noCompany(actor), (uow) =>
      createCompany(uow, { name: 'Northwind Trading', email: 'billing@northwind.example' }),
    );
    const { token } = await services.perform({ companyId, actor }, (uow) =>
      createApiKey(uow, { name: 'proof', scopes: ['admin'] }),
    );
    return new World(installation, companyId, token);
  }

  get processes(): readonly Wired[] {
    return [...this.installation.apis, ...this.installation.workers];
  }

  /** Sends a request to one API. @throws {Error} when the connection fails or the response takes longer than 35 s. */
  send(api: Api, call: HttpCall): Promise<HttpReply> {
    const client = this.clients.get(api);
    if (client === undefined) throw new Error('an API of another installation');
    return client.send({ timeoutMs: requestTimeoutMs, ...call });
  }

  /** A client of its own, by whose address messages and payment links are found, and, unless told otherwise, a draft. */
  async subject(): Promise<Subject> {
    const { services } = this.installation;
    const scope = { companyId: this.companyId, actor };
    const email = `subject-${++this.subjects}@client-${this.companyId}.example`;
    const { id: clientId } = await services.perform(scope, (uow) => createClient(uow, { name: 'A Client', email }));
    const body = newInvoice(clientId) as InvoiceInput;
    const { id: invoiceId } = await services.perform(scope, (uow) => createInvoice(uow, body));
    return { clientId, email, invoiceId };
  }

  /** Messages that the mail server has taken for this address. */
  async messagesTo(email: string): Promise<number> {
    const url = `${this.installation.mailboxUrl}/api/messages?limit=100&to=${encodeURIComponent(email)}`;
    return ((await (await fetch(url)).json()) as unknown[]).length;
  }

  /** Every payment link that the gateway has made. */
  async gatewayLinks(): Promise<GatewayLink[]> {
    const response = await fetch(`${this.installation.gatewayUrl}/links`);
    return ((await response.json()) as { links: GatewayLink[] }).links;
  }

  /** The state of a job as the API shows it. */
  async job(id: number): Promise<{ status: string }> {
    for (const api of this.installation.apis) {
      if (!api.machine.runs) continue;
      // An API that does not respond is a part of the fault: the next one is asked.
      const reply = await this.send(api, { path: `/api/jobs/${id}`, timeoutMs: 5_000 }).catch(() => null);
      if (reply?.status === 200) return jsonOf(reply);
    }
    return { status: 'unknown' };
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
  readonly payer_email?: string;
  readonly invoice_url: string;
}
