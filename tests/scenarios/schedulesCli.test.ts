import type { Services } from '../../shared/services';
import { runCli, runCliProcess } from '../support/commandLine';
import { createCompany, createExpense, createInvoice } from '../support/factories';
import { openTestServices } from '../support/installation';
import { checksums, datesOf, hold, lockWait, nothingIsDue } from '../support/schedules';

/** Runs `schedules run`. */
const run = (args: string[] = [], env: Record<string, string> = {}) => runCli(['schedules', 'run', ...args], env);

async function succeed(args: string[] = [], env: Record<string, string> = {}): Promise<object> {
  const { exitCode, stdout, stderr } = await run(args, env);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as object;
}

let services: Services;
beforeAll(async () => {
  services = await openTestServices();
});
beforeEach(() => nothingIsDue(services));

const nothing = {
  expenses: { created: 0, series: [] },
  invoices: { created: 0, series: [] },
  overdue: { marked: 0, invoices: [] },
  reminders: { requested: 0, skipped: 0, invoices: [] },
  failed: [],
};

const inAnyOrder = (values: object[]) => expect.arrayContaining(values) as object[];

async function everything() {
  const { companyId } = await createCompany(services, { reminderDays: [0] });
  const expense = { expenseDate: '2100-01-31', recurring: 'monthly' } as const;
  const invoice = { issueDate: '2100-01-31', dueDate: '2100-02-10' };
  const { id: monthly } = await createExpense(services, companyId, expense);
  const { id: yearly } = await createInvoice(services, companyId, { ...invoice, recurring: 'yearly' });
  const { id: sent } = await createInvoice(services, companyId, { ...invoice, status: 'sent' });
  const { id: dueLater } = await createInvoice(services, companyId, {
    ...invoice,
    dueDate: '2101-01-31',
    status: 'sent',
  });
  return { companyId, monthly, yearly, sent, dueLater };
}

describe('schedules run', () => {
  test('as of a day › says first what it would do, then what it did, then that nothing is left', async () => {
    const { companyId, monthly, yearly, sent, dueLater } = await everything();
    const done = {
      asOf: '2101-01-31',
      dryRun: false,
      expenses: {
        created: 12,
        series: [
          {
            companyId,
            seriesId: monthly,
            dates: [
              ...['2100-02-28', '2100-03-31', '2100-04-30', '2100-05-31', '2100-06-30', '2100-07-31'],
              ...['2100-08-31', '2100-09-30', '2100-10-31', '2100-11-30', '2100-12-31', '2101-01-31'],
            ],
          },
        ],
      },
      invoices: { created: 1, series: [{ companyId, seriesId: yearly, dates: ['2101-01-31'] }] },
      overdue: { marked: 1, invoices: [{ companyId, invoiceId: sent }] },
      reminders: {
        requested: 2,
        skipped: 0,
        invoices: inAnyOrder([sent, dueLater].map((invoiceId) => ({ companyId, invoiceId, skipped: null }))),
      },
      failed: [],
    };
    const asOf = ['--as-of', '2101-01-31'];
    const before = await checksums(services);
    expect(await succeed([...asOf, '--dry-run'])).toEqual({ ...done, dryRun: true });
    expect(await checksums(services)).toEqual(before);
    expect(await succeed(asOf)).toEqual(done);
    expect(await datesOf(services, monthly)).toHaveLength(12);
    expect(await succeed(asOf)).toEqual({ asOf: '2101-01-31', dryRun: false, ...nothing });
  });

  test('without a day › takes each company’s own, and needs no Redis', async () => {
    const { companyId } = await everything();
    const { id } = await createExpense(services, companyId, { expenseDate: '2020-01-01', recurring: 'daily' });
    const [today] = await services.sql.rows<{ day: string }>(
      'SELECT recurringSince AS day FROM expenses WHERE id = ?',
      [id],
    );
    const away = { REDIS_URL: 'redis://127.0.0.1:1' };
    expect(await succeed(['--dry-run'], away)).toMatchObject({ asOf: null, dryRun: true, expenses: { created: 1 } });
    expect(await succeed([], away)).toMatchObject({ asOf: null, dryRun: false });
    expect((await datesOf(services, id))[0]).toBe(today?.day);
    expect(await succeed()).toEqual({ asOf: null, dryRun: false, ...nothing });
  });

  test('a series that another process has in hand › is waited for', async () => {
    const { companyId, monthly } = await everything();
    const { letGo } = await hold(services, (sql) =>
      sql.rows('SELECT id FROM expenses WHERE companyId = ? AND id = ? FOR UPDATE', [companyId, monthly]),
    );
    const ended = succeed(['--as-of', '2100-02-28']);
    await lockWait(services);
    await letGo();
    expect(await ended).toMatchObject({ expenses: { created: 1, series: [{ seriesId: monthly }] } });
  });

  test('a timestamp at midnight as responses show it › is that day', async () => {
    expect(await succeed(['--as-of', '2027-01-31T00:00:00.000Z'])).toMatchObject({ asOf: '2027-01-31' });
  });

  test('what failed › is listed beside what was done, and the exit code is 1', async () => {
    const { companyId: broken, monthly, yearly } = await everything();
    const sound = await everything();
    await services.sql.run("UPDATE companies SET timezone = 'Mars/Olympus' WHERE id = ?", [broken]);
    for (const args of [['--dry-run'], []]) {
      const { exitCode, stdout, stderr } = await runCliProcess(['schedules', 'run', '--as-of', '2101-01-31', ...args]);
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
      const failure = { companyId: broken, code: 'internal_error', message: expect.stringMatching(/Mars/) as string };
      const report = JSON.parse(stdout) as { failed: object[] };
      const marked = {
        invoices: expect.arrayContaining([{ companyId: sound.companyId, invoiceId: sound.sent }]) as object,
      };
      expect(report).toMatchObject({ expenses: { created: 12 }, invoices: { created: 1 }, overdue: marked });
      expect(report.failed).toEqual([
        { kind: 'expense', id: monthly, ...failure },
        { kind: 'invoice', id: yearly, ...failure },
        { kind: 'overdue', id: null, ...failure },
        { kind: 'reminders', id: null, ...failure },
      ]);
    }
    expect(await datesOf(services, sound.monthly)).toHaveLength(12);
    expect(await datesOf(services, monthly)).toEqual([]);
  });

  test.each([
    [['--as-of', '2027-02-30'], /--as-of.*2027-02-30.*day of the calendar, YYYY-MM-DD/],
    [['--as-of', 'tomorrow'], /--as-of.*tomorrow.*YYYY-MM-DD/],
    [['--as-of', '31.01.2027'], /YYYY-MM-DD/],
    [['--as-of'], /--as-of/],
    [['--dryrun'], /unknown option '--dryrun'/],
  ])('%j › a usage error that says what is right, and nothing is done', async (args, message) => {
    const { exitCode, stdout, stderr } = await run(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({ code: 'usage', message: expect.stringMatching(message) as string });
  });

  test('a database that is unreachable › is reported, with exit code 1', async () => {
    const { exitCode, stdout, stderr } = await run([], { DATABASE_URL: 'mysql://root@127.0.0.1:1/none' });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ code: 'service_unavailable' });
  });
});

// Last, because tests over all companies would find the overdue invoices of these.
describe('schedules run', () => {
  test('of one company, and of a part › does nothing else', async () => {
    const [one, other] = [await everything(), await everything()];
    const args = ['--as-of', '2101-01-31', '--company', String(one.companyId)];
    const overdue = { marked: 1, invoices: [{ companyId: one.companyId, invoiceId: one.sent }] };
    const onlyOverdue = { ...nothing, asOf: '2101-01-31', overdue };
    expect(await succeed([...args, '--only', 'overdue', '--dry-run'])).toEqual({ ...onlyOverdue, dryRun: true });
    expect(await succeed([...args, '--only', 'overdue'])).toEqual({ ...onlyOverdue, dryRun: false });
    expect(await datesOf(services, one.monthly)).toEqual([]);
    expect(await succeed(args)).toMatchObject({
      expenses: { created: 12 },
      invoices: { created: 1 },
      overdue: { marked: 0 },
      reminders: { requested: 2 },
    });
    expect(await datesOf(services, other.monthly)).toEqual([]);
    expect(await datesOf(services, other.yearly)).toEqual([]);
  });

  test('of a company that does not exist, of a part that does not exist › says so', async () => {
    expect(await run(['--company', '999999'])).toMatchObject({ exitCode: 1, stdout: '' });
    const { exitCode, stderr } = await run(['--only', 'invoice']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('expenses, invoices, overdue, reminders');
  });
});
