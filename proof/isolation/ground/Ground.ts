import { randomBytes, randomUUID } from 'node:crypto';
import { newInvoice } from '../../installation/HttpClient';
import { insertMany } from '../../../bench/installation/insertMany';
import { seedInvoices } from '../../../bench/installation/seedInvoices';
import { toSqlTime, type SqlValue } from '../../../shared/engine/db/sql';
import type { Services } from '../../../shared/services';
import { createApiKey } from '../../../shared/apiKeys';
import { createCategory } from '../../../shared/categories';
import { createClient } from '../../../shared/clients';
import { createCompany } from '../../../shared/companies';
import { createExpense } from '../../../shared/expenses';
import { createInvoice, type InvoiceInput } from '../../../shared/invoices';
import { eventTypes } from '../../../shared/eventTypes';
import { createWebhookEndpoint } from '../../../shared/webhooks';
import type { Company } from '../Attack';

const actor = 'proof';
const events = 5_000;
const heavy = { invoices: 100, items: 1_000, quickItems: 200, characters: 500 };

/** Makes the companies that an attack needs. */
export class Ground {
  private heavyCompany: Promise<Company> | null = null;

  private constructor(
    private readonly services: Services,
    readonly quick: boolean,
    /** A company with 10,000 invoices. */
    readonly archive: Company,
  ) {}

  static async make(services: Services, quick: boolean): Promise<Ground> {
    const { companyId, token, clientIds, invoiceIds } = await seedInvoices(services);
    return new Ground(services, quick, { companyId, token, clientId: clientIds[0] ?? 0, invoiceIds });
  }

  /** A company with a client and `drafts` invoices. */
  async newCompany(drafts = 0, invoice: (index: number) => object = () => ({})): Promise<Company> {
    const { services } = this;
    const { id: companyId } = await services.performForInstallation(actor, (work) =>
      createCompany(work, { name: 'Another Company', email: 'billing@another.example' }),
    );
    const scope = { companyId, actor };
    const { token } = await services.perform(scope, (uow) => createApiKey(uow, { name: 'proof', scopes: ['admin'] }));
    const { id: clientId } = await services.perform(scope, (uow) =>
      createClient(uow, { name: 'A Client', email: `accounts@client-${companyId}.example` }),
    );
    const invoiceIds: number[] = [];
    for (let index = 0; index < drafts; index++) {
      const body = newInvoice(clientId, invoice(index)) as InvoiceInput;
      invoiceIds.push((await services.perform(scope, (uow) => createInvoice(uow, body))).id);
    }
    return { companyId, token, clientId, invoiceIds };
  }

  /** As {@link newCompany}, a sandbox. */
  async newSandbox(drafts: number, invoice: (index: number) => object): Promise<Company> {
    const company = await this.newCompany(drafts, invoice);
    await this.services.sql.run('UPDATE companies SET sandboxDay = UTC_DATE() WHERE id = ?', [company.companyId]);
    return company;
  }

  /** A company with 100 invoices of 1,000 items (with `--quick` 200) of 500 characters: a list of 50 MB. */
  heavy(): Promise<Company> {
    return (this.heavyCompany ??= this.makeHeavy());
  }

  /** Adds daily invoice series, of which today's date is due, to a company with an invoice, and requests a scan of the calendar. */
  async addDueSeries(company: Company, count: number): Promise<void> {
    await this.addSeries(company, count, 'UTC_DATE()');
    await this.services.queues.add({ queue: 'schedule', name: 'scan', jobId: `scan-of-${randomUUID()}`, data: {} });
  }

  /** Adds daily invoice series to a company with an invoice. `date`, an expression in SQL, is when they are due next. */
  async addSeries({ companyId, invoiceIds: [template = 0] }: Company, count: number, date: string): Promise<void> {
    const columns = `companyId, clientId, status, issueDate, dueDate, subtotal, tax, taxRate, total, notes, currency, recurring,
      nextDueDate, anchorDate, recurringSince, dueAt, createdAt, updatedAt`;
    const values = columns
      .replace('recurring,', "'daily',")
      .replace('nextDueDate, anchorDate, recurringSince, dueAt', `${date}, UTC_DATE(), UTC_DATE(), ${date}`);
    await this.services.sql.run(
      `INSERT INTO invoices (${columns})
        WITH RECURSIVE hundred AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM hundred WHERE i < 99)
        SELECT ${values} FROM hundred a CROSS JOIN hundred b CROSS JOIN hundred c, invoices
        WHERE companyId = ? AND id = ? LIMIT ${count}`,
      [companyId, template],
    );
  }

  /** Adds e-mails that are due to a company with 100 invoices. */
  async addDueEmails({ companyId, invoiceIds: [first = 0] }: Company, count: number): Promise<void> {
    const { sql } = this.services;
    await sql.run(
      `INSERT INTO emails (companyId, invoiceId, messageId, recipient, status, kind, createdAt, updatedAt)
        WITH RECURSIVE hundred AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM hundred WHERE i < 99)
        SELECT ?, ? + c.i, CONCAT(UUID(), '@proof.example'), 'accounts@client.example', 'queued', 'invoice', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3)
        FROM hundred a CROSS JOIN hundred b CROSS JOIN hundred c LIMIT ${count}`,
      [companyId, first],
    );
    await sql.run(
      `INSERT INTO jobs (companyId, name, queue, payload, status, attempt, uncounted, maxAttempt, availableAt, relayAt, createdAt, updatedAt)
        SELECT companyId, 'sendInvoiceEmail', 'email', CONCAT('{"invoiceId":', invoiceId, ',"emailId":', id, '}'), 'pending', 0, 0, 41,
          UTC_TIMESTAMP(3), UTC_TIMESTAMP(3), UTC_TIMESTAMP(3), UTC_TIMESTAMP(3)
        FROM emails WHERE companyId = ? ORDER BY id DESC LIMIT ${count}`,
      [companyId],
    );
  }

  /** A company with webhook endpoints of which each has many replays that wait for a retry. */
  async pendingReplays(endpoints: number, each: number): Promise<Company> {
    const company = await this.newCompany();
    const { companyId } = company;
    for (let index = 0; index < endpoints; index++) {
      const url = `http://127.0.0.1:9/${index}`;
      const { id } = await this.services.perform({ companyId, actor }, (uow) =>
        createWebhookEndpoint(uow, { url, types: ['client.updated'] }, this.services),
      );
      await this.services.sql.run(
        `INSERT INTO webhook_deliveries (companyId, endpointId, eventId, type, isReplay, status, attempts, nextAttemptAt, createdAt)
          WITH RECURSIVE hundred AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM hundred WHERE i < 99)
          SELECT ?, ?, 1, 'client.updated', 1, 'pending', 5, UTC_TIMESTAMP(3) + INTERVAL 12 HOUR, UTC_TIMESTAMP(3)
          FROM hundred a CROSS JOIN hundred b CROSS JOIN hundred c LIMIT ${each}`,
        [companyId, id],
      );
    }
    return company;
  }

  /** A company with webhook endpoints, and many events that none of them wants. */
  async unwantedEvents(endpoints: number, thousands: number): Promise<Company> {
    const company = await this.newCompany();
    const { companyId } = company;
    const types = eventTypes.map(({ type }) => type).filter((type) => !/^(client|webhook)/.test(type));
    for (let index = 0; index < endpoints; index++) {
      const url = `http://127.0.0.1:9/${index}`;
      await this.services.perform({ companyId, actor }, (uow) =>
        createWebhookEndpoint(uow, { url, types: types.slice(0, 50) }, this.services),
      );
    }
    await this.services.performForInstallation(actor, async ({ sql }) => {
      await sql.run('UPDATE event_sequence SET last = last + ? WHERE id = 1', [thousands * 1_000]);
      await sql.run(
        `INSERT INTO events (${eventColumns.join(', ')}, seq)
          WITH RECURSIVE thousand AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM thousand WHERE i < 999)
          SELECT ?, 'client.updated', 'proof', 'client', 1, '{}', UTC_TIMESTAMP(3), last - a.i * 1000 - b.i
          FROM thousand a CROSS JOIN thousand b CROSS JOIN event_sequence WHERE a.i < ?`,
        [companyId, thousands],
      );
      await sql.run('UPDATE webhook_endpoints SET position = (SELECT last FROM event_sequence) WHERE companyId = ?', [
        companyId,
      ]);
    });
    return company;
  }

  /** A company with 300 expenses whose descriptions take longest to search. */
  async repeatedLetters(): Promise<Company> {
    const company = await this.newCompany();
    const scope = { companyId: company.companyId, actor };
    const { id: categoryId } = await this.services.perform(scope, (uow) => createCategory(uow, { name: 'Travel' }));
    const body = { vendor: 'A', categoryId, amount: 1, expenseDate: '2026-01-20', description: 'a'.repeat(10_000) };
    for (let count = 0; count < 300; count++) await this.services.perform(scope, (uow) => createExpense(uow, body));
    return company;
  }

  /** Puts all webhook endpoints of a company back to the beginning of its feed, as if they had been silent since. */
  async putBack({ companyId }: Company): Promise<void> {
    await this.services.sql.run(
      'UPDATE webhook_endpoints SET position = 0, watched = 1, enabled = 1, softDelete = 0 WHERE companyId = ?',
      [companyId],
    );
  }

  /** Lets MySQL keep at most so many prepared statements of all connections; 16,382 are its default. */
  async mostPrepared(count: number): Promise<void> {
    await this.services.sql.run(`SET GLOBAL max_prepared_stmt_count = ${count}`);
  }

  /** A company with 5,000 events, which the worker numbers. */
  async withEvents(notes = ''): Promise<Company> {
    const company = await this.newCompany();
    const at = toSqlTime(new Date());
    const facts = { invoiceNumber: 'INV-2026-1', status: 'draft', total: '1584750.00', currency: 'IDR' };
    const data = JSON.stringify({ ...facts, ...(notes !== '' && { notes }) });
    const rows = Array.from({ length: events }, (_, index): SqlValue[] => [
      ...[company.companyId, 'invoice.created', actor, 'invoice', index + 1, data, at],
    ]);
    await insertMany(this.services, 'events', eventColumns, rows);
    return company;
  }

  private async makeHeavy(): Promise<Company> {
    const company = await this.newCompany(heavy.invoices);
    const at = toSqlTime(new Date());
    const count = this.quick ? heavy.quickItems : heavy.items;
    for (const invoiceId of company.invoiceIds) {
      const items = Array.from({ length: count - 3 }, (_, index): SqlValue[] => [
        ...[company.companyId, invoiceId, index + 3, fourLetters(heavy.characters), '1.00', '1.00', '1.00', at, at],
      ]);
      await insertMany(this.services, 'invoice_items', itemColumns, items);
    }
    return company;
  }
}

/** A random text of four letters, which takes zlib longest to compress. */
const fourLetters = (length: number): string =>
  Buffer.from(randomBytes(length).map((byte) => 97 + (byte % 4))).toString();

const eventColumns = ['companyId', 'type', 'actor', 'subjectType', 'subjectId', 'data', 'createdAt'];
const itemColumns = [
  ...['companyId', 'invoiceId', 'position', 'description', 'quantity', 'unitPrice', 'amount', 'createdAt', 'updatedAt'],
];
