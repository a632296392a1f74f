import { setTimeout as sleep } from 'node:timers/promises';
import { transactionSql, type Sql } from '../../../../shared/engine/db/sql';
import { companiesWithDue, dueOf, dueOfAll, lockDue } from '../../../../shared/engine/jobs/dueForRelay';
import { JobCounts } from '../../../../shared/engine/jobs/JobCounts';
import { retryBatch } from '../../../../shared/engine/jobs/retryJobs';
import type { Services } from '../../../../shared/services';
import { overdueCalendar } from '../../../../shared/invoices';
import { pollPaymentLinks } from '../../../../shared/paymentLinks';
import { companiesWithDueSeries, findDueSeries } from '../../../../shared/recurrence/dueSeries';
import { recurringExpenses } from '../../../../shared/expenses';
import { deliveryCounter } from '../../../../shared/webhooks';
import { scanEndpoints } from '../../../../workers/webhooks/scanEndpoints';
import { createCompany, createExpense, createInvoice } from '../../../support/factories';
import { openTestServices } from '../../../support/installation';
import { nothingIsDue, SetClock } from '../../../support/schedules';
import { eventually } from '../../../support/eventually';
import { workOf, type StatementWork } from '../../../support/work';

// One company has thousands of everything, another has a few. What a scan reads and locks is what it returns.

const MANY = 4_000;
const now = new Date('2027-01-10T05:00:00Z');
let services: Services;
let big: number;
let small: number;

beforeAll(async () => {
  services = await openTestServices({ clock: new SetClock(now.toISOString()) });
  big = (await createCompany(services)).companyId;
  small = (await createCompany(services)).companyId;
});

/** Inserts `count` rows of a company; `n` is a number from 1. */
async function insert(table: string, count: number, columns: Readonly<Record<string, string>>): Promise<void> {
  await services.sql.run(
    `INSERT INTO ${table} (${Object.keys(columns).join(', ')})
      WITH RECURSIVE hundred AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM hundred WHERE i < 99),
        numbers AS (SELECT a.i * 100 + b.i + 1 AS n FROM hundred a CROSS JOIN hundred b)
      SELECT ${Object.values(columns).join(', ')} FROM numbers WHERE n <= ${count}`,
  );
}

/** What `use` costs in one transaction, which is rolled back. */
async function measured(use: (sql: Sql) => Promise<unknown>): Promise<StatementWork> {
  // The server's table of transactions is up to 100 ms old.
  await sleep(150);
  const transaction = await services.sequelize.transaction();
  try {
    const sql = transactionSql(transaction);
    return await workOf(sql, async () => {
      await use(sql);
      await sleep(150);
    });
  } finally {
    await transaction.rollback();
  }
}

/** Services that note what each unit of work costs. */
function watching(work: StatementWork[]): Services {
  return {
    ...services,
    perform: (scope, use) =>
      services.perform(scope, async (uow) => {
        let result: unknown;
        work.push(await workOf(uow.sql, async () => (result = await use(uow))));
        return result as never;
      }),
  };
}

describe('jobs', () => {
  const job = (companyId: number, changes: Readonly<Record<string, string>> = {}): Record<string, string> => ({
    ...{ companyId: String(companyId), name: "'sendInvoiceEmail'", queue: "'email'", payload: "'{}'" },
    ...{ status: "'pending'", attempt: '1', maxAttempt: '41', createdAt: "'2027-01-01'", updatedAt: "'2027-01-01'" },
    ...{ availableAt: "'2027-01-09'", relayAt: "'2027-01-09' + INTERVAL n SECOND", ...changes },
  });
  beforeAll(async () => {
    await insert('jobs', MANY, job(big));
    await insert('jobs', 3, job(small, { relayAt: "'2027-01-10 04:00:00'" }));
    await insert('jobs', MANY, job(big, { status: "'failed'", errorCode: "'email_refused'", endedAt: "'2027-01-09'" }));
    await insert('jobs', 3, job(small, { status: "'failed'", errorCode: "'email_refused'", endedAt: "'2027-01-09'" }));
  });

  test.each([false, true])(
    'the relay locks the batch that it takes of a backlog (statistics: %s)',
    async (analysed) => {
      if (analysed) await services.sql.rows('ANALYZE TABLE jobs');
      const batch = await measured(async (sql) => {
        expect(await lockDue(sql, dueOfAll('email', 'pending'), now, 500)).toHaveLength(500);
      });
      expect(batch.locked).toBeLessThanOrEqual(500 + 1);
      expect(batch.read).toBeLessThan(6 * 500);
      const ofCompany = await measured(async (sql) => {
        expect(await lockDue(sql, dueOf(small, 'email'), now, 20)).toHaveLength(3);
      });
      expect(ofCompany.locked).toBeLessThanOrEqual(3 + 1);
      expect(ofCompany.read).toBeLessThan(50);
      const companies = await measured(async (sql) => {
        expect(await companiesWithDue(sql, 'email', now, [big, small])).toEqual([big, small]);
      });
      expect(companies).toMatchObject({ locked: 0 });
      expect(companies.read).toBeLessThan(50);
    },
  );

  test('the counts of the queues read what they count, and no finished job', async () => {
    await insert('jobs', MANY, job(big, { queue: "'import'", status: "'done'", endedAt: "'2027-01-09'" }));
    await insert('jobs', 3, job(big, { queue: "'import'" }));
    const [row] = await services.sql.rows<{ counted: number }>(
      "SELECT COUNT(*) AS counted FROM jobs WHERE status <> 'done'",
    );
    const { read } = await measured(async (sql) => {
      expect((await new JobCounts(sql).read(now)).get('import')).toMatchObject({ waiting: 3 });
    });
    expect(read).toBeLessThan((row?.counted ?? 0) + 50);
  });

  test('a retry of one company’s failed jobs reads and locks no other’s', async () => {
    const work: StatementWork[] = [];
    let retried = 0;
    for (const code of ['email_refused', undefined]) {
      const rolledBack = services.performForInstallation('test', async (installation) => {
        const { sql } = installation;
        const contracts = { sendInvoiceEmail: { name: 'sendInvoiceEmail', queue: 'email' } } as never;
        const filter = { companyId: small, code, until: now };
        work.push(
          await workOf(sql, async () => {
            retried += (await retryBatch(installation, contracts, filter, null)).retried;
            await sleep(150);
          }),
        );
        throw new Error('rolled back');
      });
      await expect(rolledBack).rejects.toThrow('rolled back');
    }
    expect(retried).toBe(6);
    for (const { read, locked } of work) {
      expect(read).toBeLessThan(100);
      expect(locked).toBeLessThan(50);
    }
  });
});

test('the due series of a company are read beside another’s thousands', async () => {
  await nothingIsDue(services);
  const series = { recurring: 'daily', expenseDate: '2027-01-08' } as const;
  const { id } = await createExpense(services, big, series);
  const copied = `companyId, categoryId, vendor, description, amount, currency, expenseDate, status, recurring, nextDueDate, anchorDate,
    recurringSince, softDelete, createdAt, updatedAt`;
  await services.sql.run(
    `INSERT INTO expenses (${copied}, dueAt) WITH RECURSIVE hundred AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM hundred WHERE i < 59)
      SELECT ${copied}, '2027-01-01' + INTERVAL a.i * 60 + b.i SECOND FROM hundred a CROSS JOIN hundred b, expenses WHERE id = ${id}`,
  );
  const own = await createExpense(services, small, series);
  await services.sql.run("UPDATE expenses SET dueAt = '2027-01-09' WHERE id = ?", [own.id]);
  const none = await measured(async (sql) => {
    const early = new Date('2026-01-01');
    expect(await companiesWithDueSeries(sql, recurringExpenses, { asOf: null, now: early })).toEqual([]);
  });
  expect(none.read).toBeLessThan(30);
  // MySQL does so by itself, some seconds after many rows have changed.
  await services.sql.rows('ANALYZE TABLE expenses');
  const all = await measured(async (sql) => {
    expect(await companiesWithDueSeries(sql, recurringExpenses, { asOf: null, now })).toEqual([big, small]);
  });
  expect(all.read).toBeLessThan(50);
  const request = { asOf: null, now, which: { except: [] } };
  const few = await measured(async (sql) => {
    const found = await findDueSeries(
      sql,
      recurringExpenses,
      { ...request, companyId: small, limit: 200 },
      'skip locked',
    );
    expect(found.due.map((one) => one.id)).toEqual([own.id]);
  });
  expect(few.read).toBeLessThan(20);
  expect(few.locked).toBeLessThan(10);
  // Beside thousands of companies as well: each is read once, and one entry of its series.
  const other = { name: "'Other'", currency: "'EUR'", locale: "'en'", timezone: "'UTC'" };
  const formats = { invoiceNumberFormat: "'{seq}'", creditNoteNumberFormat: "'{seq}'" };
  await insert('companies', 2_000, { ...other, ...formats, createdAt: 'NOW()', updatedAt: 'NOW()' });
  const many = await measured(async (sql) => {
    expect(await companiesWithDueSeries(sql, recurringExpenses, { asOf: null, now })).toEqual([big, small]);
  });
  expect(many.read).toBeLessThan(5_000);
  await services.sql.run("DELETE FROM companies WHERE name = 'Other'");
  const batch = await measured(async (sql) => {
    const found = await findDueSeries(
      sql,
      recurringExpenses,
      { ...request, companyId: big, limit: 200 },
      'skip locked',
    );
    expect(found.due).toHaveLength(200);
  });
  expect(batch.read).toBeLessThan(6 * 200);
  // The company's time zone as well.
  expect(batch.locked).toBeLessThanOrEqual(200 + 3);
});

test('the check for overdue invoices reads those that are past their due date, each once', async () => {
  const { clientId } = await createInvoice(services, big, { status: 'draft' });
  const invoice = (count: number, changes: Readonly<Record<string, string>>): Promise<void> =>
    insert('invoices', count, {
      ...{ companyId: String(big), clientId: String(clientId), status: "'sent'", issueDate: "'2026-01-01'" },
      ...{ subtotal: '1', tax: '0', taxRate: '0', total: '1', notes: "''", currency: "'IDR'", recurring: "'none'" },
      ...{ sentAt: "'2026-01-01'", createdAt: "'2026-01-01'", updatedAt: "'2026-01-01'", ...changes },
    });
  await invoice(MANY, { dueDate: "'2027-06-01'" });
  await invoice(250, { dueDate: "'2026-12-01'" });
  // They are not overdue before tomorrow.
  await invoice(500, { dueDate: "'2026-12-01'", sentAt: "'2027-01-10 04:00:00'" });
  const work: StatementWork[] = [];
  const marked: number[] = [];
  const observer = {
    created: () => undefined,
    overdue: (_companyId: number, id: number) => void marked.push(id),
    failed: (_subject: object, error: unknown) => {
      throw error;
    },
  };
  const next = overdueCalendar.serve({ services: watching(work), asOf: null, wait: false, observer }, big);
  for (let batches = 0; (await next()) === 'more';) expect((batches += 1)).toBeLessThan(10);
  expect(new Set(marked).size).toBe(250);
  expect(marked).toHaveLength(250);
  expect(work).toHaveLength(4);
  for (const { read } of work) expect(read).toBeLessThan(2_500);
});

test('payment links are polled in turns of the companies, those that became due last and those due longest', async () => {
  const link = (companyId: number, invoiceId: number, count: number): Promise<void> =>
    insert('payment_links', count, {
      ...{ companyId: String(companyId), invoiceId: String(invoiceId), provider: "'xendit'", reference: 'UUID()' },
      ...{ status: "'active'", total: '1', amount: '1', currency: "'IDR'", pollAt: "'2027-01-09' + INTERVAL n SECOND" },
      ...{ createdAt: "'2027-01-01'", updatedAt: "'2027-01-01'" },
    });
  const [of, another] = [await createInvoice(services, big), await createInvoice(services, small)];
  await link(big, of.id, MANY);
  await link(small, another.id, 2);
  const work: StatementWork[] = [];
  expect(await pollPaymentLinks(watching(work), 20)).toBe(20);
  const polled = await services.sql.rows<{ companyId: number; count: number }>(
    "SELECT companyId, COUNT(*) AS count FROM jobs WHERE name = 'syncPaymentLink' GROUP BY companyId ORDER BY companyId",
  );
  expect(polled).toEqual([
    { companyId: big, count: 18 },
    { companyId: small, count: 2 },
  ]);
  const [left] = await services.sql.rows<{ first: string; last: string }>(
    "SELECT MIN(pollAt) AS first, MAX(pollAt) AS last FROM payment_links WHERE companyId = ? AND pollAt < '2027-01-10'",
    [big],
  );
  // From both ends.
  expect(left?.first).not.toBe('2027-01-09 00:00:01');
  expect(left?.last).not.toBe('2027-01-09 01:06:40');
  for (const { read } of work) expect(read).toBeLessThan(300);
  const look = await measured(async (sql) => expect(await pollPaymentLinks({ ...services, sql }, 0)).toBe(0));
  expect(look.read).toBeLessThan(50);
});

test('the scan of endpoints reads an entry of each, and the metrics what they count, however many events and deliveries its company has', async () => {
  const queues = { add: () => Promise.resolve(), isFull: () => false };
  await insert('webhook_endpoints', 1, {
    ...{ companyId: String(big), url: "'https://receiver.example/'", types: "'[]'", description: "''", enabled: '1' },
    ...{ secret: "''", position: '0', watched: '1', createdAt: "'2027-01-01'", updatedAt: "'2027-01-01'" },
  });
  const [endpoint] = await services.sql.rows<{ id: number }>('SELECT MAX(id) AS id FROM webhook_endpoints');
  await insert('events', MANY, {
    ...{ companyId: String(big), seq: 'n', type: "'client.updated'", actor: "'a test'", subjectType: "'client'" },
    ...{ subjectId: '1', data: "'{}'", createdAt: "'2027-01-01'" },
  });
  await insert('webhook_deliveries', MANY, {
    ...{ companyId: String(big), endpointId: String(endpoint?.id), eventId: 'n', type: "'client.updated'" },
    ...{ isReplay: '1', status: "'pending'", attempts: '5', nextAttemptAt: "'2027-02-01'", createdAt: "'2027-01-01'" },
  });
  const scan = await measured((sql) => scanEndpoints({ ...services, sql, queues }));
  expect(scan.read).toBeLessThan(50);
  const count = await measured((sql) => deliveryCounter.count(sql, now));
  // It counts the pending deliveries and a thousand events: each is read more than once, and none to be sorted.
  expect(count.read).toBeLessThan(3 * MANY);
  await services.sql.run('UPDATE webhook_endpoints SET enabled = 0, softDelete = 1');
  await services.sql.run('DELETE FROM webhook_deliveries');
});

test('endpoints that were deleted or disabled are not read by the scan, once nothing of them is pending', async () => {
  await insert('webhook_endpoints', MANY, {
    ...{ companyId: String(big), url: "'https://receiver.example/'", types: "'[]'", description: "''" },
    ...{
      enabled: 'n MOD 2',
      secret: "''",
      position: '0',
      softDelete: '1',
      createdAt: "'2027-01-01'",
      updatedAt: "'2027-01-01'",
    },
  });
  const queues = { add: () => Promise.resolve(), isFull: () => false };
  // Each scan stops to watch a thousand.
  for (let scans = 0; scans < MANY / 1_000; scans++) await scanEndpoints({ ...services, queues });
  // Until the server has purged the entries of the index that say `watched`, it looks at them as well.
  await eventually(async () => (await measured((sql) => scanEndpoints({ ...services, sql, queues }))).read < 50);
  // One that a process of the version before has enabled.
  await services.sql.run('UPDATE webhook_endpoints SET enabled = 1, softDelete = 0 WHERE companyId = ? LIMIT 1', [big]);
  await scanEndpoints({ ...services, queues });
  expect(await services.sql.rows('SELECT enabled FROM webhook_endpoints WHERE watched = 1')).toEqual([{ enabled: 1 }]);
});
