import { Op } from 'sequelize';
import type { InvoicingClient } from '../../clients/typescript/src';
import { callbackUrlOf, providerVariables } from '../../dev/launcher/environment';
import { startMailCatcher, type MailCatcher } from '../../dev/mailCatcher/server';
import type { ParsedMessage } from '../../dev/mailCatcher/ParsedMessages';
import { startSandboxGateway, type SandboxGateway } from '../../dev/sandboxGateway/server';
import type { QueueName } from '../../config/queues';
import { Job, Payment, PaymentLink } from '../../shared/models';
import { Email, Event } from './models';
import type { JobName } from '../../shared/jobContracts';
import { createLogger, type Logger } from '../../shared/engine/log/log';
import type { Services } from '../../shared/services';
import { createEmailTransport, MailPause } from '../../workers/mail';
import { openGateways } from '../../workers/gateways';
import type { RunOutcome, Tools } from '../../workers/jobs/JobRun';
import { LeaseConnection } from '../../workers/jobs/LeaseConnection';
import { openRateLimits } from '../../workers/jobs/ProviderRateLimit';
import { Rounds } from '../../workers/jobs/Rounds';
import { loadInvoiceDocument, renderedPdf } from '../../shared/invoiceDocuments';
import { createPdfRenderer, type PdfRenderer } from '../../workers/pdf/PdfRenderer';
import { runJob } from '../../workers/jobs/runJob';
import { registry } from '../../workers/registry';
import { startSchedules } from '../../workers/schedules/schedules';
import { WorkerPool } from '../../workers/jobs/WorkerPool';
import { servedQueues } from '../../workers/servedQueues';
import { WebhookSender } from '../../workers/webhooks/WebhookSender';
import { createClient, createCompany, createInvoice } from './factories';
import type { InvoiceInput } from '../../shared/invoices/record';
import type { InvoiceRecord } from '../../shared/invoices/record';
import { MovableClock } from './clock';
import { atEnd } from './installation';
import { startApi, type Caller, type TestApi } from './server';

const secretKey = 'xnd_development_of-the-tests';
const callbackToken = 'callback-token-of-the-tests';

/** The mail server and the payment gateway of one test file, and the environment that points at them. */
interface FarSides {
  catcher: MailCatcher;
  sandbox: SandboxGateway;
  env: Record<string, string>;
}

/** Starts both in this process; they end after the file's last test. */
async function startFarSides(): Promise<FarSides> {
  const catcher = await startMailCatcher();
  const sandbox = await startSandboxGateway({ secretKey, callbackToken, callbackRetryDelaysMs: [20, 100, 500] });
  atEnd(async () => {
    await Promise.all([catcher.close(), sandbox.close()]);
  });
  const env = {
    SMTP_URL: catcher.smtpUrl,
    ...providerVariables({ url: sandbox.url, secretKey, callbackToken }),
    CHROME_ALLOW_NO_SANDBOX: 'true',
    // The sandbox takes any number of calls.
    GATEWAY_RATE_PER_SECOND: '0',
  };
  return { catcher, sandbox, env };
}

const PRINTED_WITHIN_MS = 30_000;

/**
 * Everything that an effect passes through: the API, the handlers' tools, a mail server and a gateway. Jobs run when a test
 * runs them (`run`, `runToEnd`), on a clock that it moves, or by real pools (`startPool`).
 */
export class Effects {
  private renderer: PdfRenderer | undefined;

  private constructor(
    readonly api: TestApi,
    readonly tools: Tools,
    readonly clock: MovableClock,
    readonly farSides: FarSides,
  ) {}

  static async start(env: Record<string, string> = {}, log?: Logger): Promise<Effects> {
    const farSides = await startFarSides();
    const clock = new MovableClock();
    const api = await startApi({ env: { ...farSides.env, ...env }, clock, ...(log && { log }) });
    farSides.sandbox.setCallbackUrl(callbackUrlOf(api.url));
    return new Effects(api, toolsOf(api.services), clock, farSides);
  }

  get services(): Services {
    return this.api.services;
  }

  get catcher(): MailCatcher {
    return this.farSides.catcher;
  }

  get sandbox(): SandboxGateway {
    return this.farSides.sandbox;
  }

  /** A company, its key, a client and an invoice of 220.00 (see `invoiceInput`). */
  async invoice(changes: Partial<InvoiceInput> = {}): Promise<Subject> {
    const { companyId, token } = await createCompany(this.services);
    const client = await createClient(this.services, companyId);
    const invoice = await createInvoice(this.services, companyId, { clientId: client.id, ...changes });
    const callers = { as: this.api.as(token), client: this.api.client(token) };
    return { companyId, clientId: client.id, clientEmail: client.email ?? '', invoice, ...callers, token };
  }

  /** Prints the PDF that the invoice's e-mail attaches, so that its run finds it. Needs a pool of `pdf`. */
  async printForEmail({ companyId, invoice: { id } }: Subject): Promise<void> {
    const { services } = this;
    const { key, isLong } = await loadInvoiceDocument(services, companyId, id, { asSent: true });
    const request = { companyId, invoiceId: id, documentKey: key, isLong, asSent: true, requestId: null };
    const printed = await renderedPdf(
      services,
      request,
      () => PRINTED_WITHIN_MS,
      (file) => services.files.get(file),
    );
    if (printed === null) throw new Error('the PDF was not printed');
  }

  /** Workers of these queues over this file's Redis prefix, in this process; drained after the last test or by `stop`. */
  async startPool(
    queues: readonly QueueName[],
    services = this.services,
    tools: Partial<Tools> = {},
  ): Promise<RunningPool> {
    if (queues.includes('pdf') && this.renderer === undefined) {
      const renderer = createPdfRenderer(
        { chromePath: '', allowNoSandbox: true, environment: 'test', concurrency: 2 },
        createLogger('silent', 'test'),
      );
      this.renderer = renderer;
      atEnd(() => renderer.close());
      await renderer.warm();
    }
    const { config } = services;
    const worker = { ...config.worker, queues };
    const served = { ...this.tools, ...tools, services: { ...services, config: { ...config, worker } } };
    const pool = new WorkerPool(services, servedQueues(served, this.renderer ?? null));
    await pool.waitUntilReady();
    let stopped: Promise<void> | undefined;
    const stop = (): Promise<void> => (stopped ??= pool.drain(5_000));
    atEnd(stop);
    return { pool, stop };
  }

  /** What a worker process runs by the clock: the relay of the outbox, the clean-up, requests for scans. */
  startSchedules(services = this.services): () => Promise<void> {
    const stop = startSchedules(services);
    atEnd(stop);
    return stop;
  }

  /** One run of a job, as a delivery of its queue's entry would make. */
  run(jobId: number, tools: Partial<Tools> = {}): Promise<RunOutcome> {
    return runJob({ ...this.tools, ...tools }, registry, jobId, new AbortController().signal);
  }

  /**
   * Tools whose calls time out soon, for a run in which the gateway or the mail server never responds. A message has the time
   * to be handed over on a machine that stalls for seconds.
   */
  shortTimeouts(): Pick<Tools, 'email' | 'gateways'> {
    const { email, gateway } = this.services.config;
    const transport = createEmailTransport({ ...email, timeoutMs: 4_000 });
    atEnd(() => transport.close());
    return { email: transport, gateways: openGateways({ ...gateway, timeoutMs: 300 }) };
  }

  /** Runs a job again and again, each time when its next run is due, until it has ended. */
  async runToEnd(jobId: number): Promise<Job> {
    for (let runs = 0; runs < 200; runs += 1) {
      const outcome = await this.run(jobId);
      if (!('nextRunAt' in outcome)) return this.job(jobId);
      this.clock.moveTo(outcome.nextRunAt);
    }
    throw new Error(`job ${jobId} does not end`);
  }

  /** Runs everything that waits in MySQL, also what is due later, and what that records in turn. */
  runEverything(companyId: number): Promise<void> {
    return this.runEverythingBut(companyId, 0);
  }

  async runEverythingBut(companyId: number, jobId: number): Promise<void> {
    for (;;) {
      const waiting = await Job.findAll({
        where: { companyId, status: ['pending', 'running'], id: { [Op.ne]: jobId } },
        order: ['availableAt'],
      });
      const [next] = waiting;
      if (next === undefined) return;
      this.clock.moveTo(next.availableAt);
      await this.runToEnd(next.id);
    }
  }

  async job(jobId: number): Promise<Job> {
    return Job.findOne({ where: { id: jobId }, rejectOnEmpty: true });
  }

  jobs(companyId: number, name?: JobName): Promise<Job[]> {
    return Job.findAll({ where: { companyId, ...(name && { name }) }, order: ['id'] });
  }

  links(invoiceId: number): Promise<PaymentLink[]> {
    return PaymentLink.findAll({ where: { invoiceId }, order: ['id'] });
  }

  emails(invoiceId: number): Promise<Email[]> {
    return Email.findAll({ where: { invoiceId }, order: ['id'] });
  }

  payments(invoiceId: number): Promise<Payment[]> {
    return Payment.findAll({ where: { invoiceId }, order: ['id'] });
  }

  /** The data of an invoice's events of one type. */
  async eventsOf(invoiceId: number, type: string): Promise<object[]> {
    const events = await Event.findAll({
      where: { subjectType: 'invoice', subjectId: invoiceId, type },
      order: ['id'],
    });
    return events.map(({ data }) => JSON.parse(data) as object);
  }

  /** The messages that the mail server has accepted for an address, the newest first. */
  async messagesTo(address: string): Promise<ParsedMessage[]> {
    const ids = this.catcher.store.list().filter(({ to }) => to.includes(address));
    const found = await Promise.all(ids.map(({ id }) => this.catcher.messages.get(id)));
    return found.filter((message) => message !== null);
  }

  /** The gateway's own links for an invoice, oldest first, whatever we know of them. */
  async atGateway(invoiceId: number): Promise<ReturnType<SandboxGateway['links']['all']>> {
    const references = new Set((await this.links(invoiceId)).map(({ reference }) => reference));
    return this.sandbox.links.all().filter((link) => references.has(link.external_id));
  }

  async payable(invoiceId: number): Promise<string[]> {
    return (await this.atGateway(invoiceId)).filter(({ status }) => status === 'PENDING').map(({ id }) => id);
  }

  /** Pays on the gateway's page. */
  pay(linkId: string, amount?: number): Promise<void> {
    return this.payer(linkId, 'pay', amount === undefined ? {} : { amount });
  }

  /** Does with a link at the gateway what a payer does, or what happens to the payment later. */
  async payer(linkId: string, action: 'pay' | 'refund' | 'dispute', body: object = {}): Promise<void> {
    const response = await fetch(`${this.sandbox.url}/web/${linkId}/${action}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`the gateway responded with ${response.status}: ${await response.text()}`);
  }

  /** The next calls of the gateway go wrong. */
  gatewayFault(fault: object): Promise<void> {
    return control(this.sandbox.url, fault);
  }

  /** The next messages to the mail server go wrong. */
  mailFault(fault: object): Promise<void> {
    return control(this.catcher.url, fault);
  }
}

export interface Subject {
  companyId: number;
  clientId: number;
  clientEmail: string;
  invoice: InvoiceRecord;
  /** Requests with a key of the company. */
  as: Caller;
  client: InvoicingClient;
  token: string;
}

export interface RunningPool {
  pool: WorkerPool;
  /** Drains it. */
  stop: () => Promise<void>;
}

/** The id of the job of a 202 response. */
export const jobIdOf = (response: { body: unknown }): number =>
  (response.body as { data: { jobId: number } }).data.jobId;

function toolsOf(services: Services): Tools {
  const email = createEmailTransport(services.config.email, 5);
  const leases = new LeaseConnection(services.config.databaseUrl);
  atEnd(async () => {
    leases.close();
    await email.close();
  });
  const mailPause = new MailPause(services.log);
  const rateLimits = openRateLimits(services);
  const gateways = openGateways(services.config.gateway, (name, caller) => rateLimits[name].turn(caller));
  const rounds = new Rounds();
  return { services, email, mailPause, gateways, leases, rateLimits, rounds, sender: openSender(services) };
}

/** The sender of webhooks of a worker; closed after the file's last test. */
export function openSender({ config, clock }: Services): WebhookSender {
  const sender = new WebhookSender({ ...config.webhooks, clock });
  atEnd(() => sender.close());
  return sender;
}

async function control(url: string, body: object): Promise<void> {
  const response = await fetch(`${url}/control`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}
