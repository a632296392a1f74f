import { ServiceUnavailable } from '../../../shared/engine/errors';
import type { Services } from '../../../shared/services';
import { importKinds } from '../../../shared/imports';
import { cleanUp } from '../../../shared/schedules/cleanUp';
import { createCategory, createCompany } from '../../support/factories';
import { storedKeys } from '../../support/receipts';
import { Effects } from '../../support/workers';
import type { Caller } from '../../support/server';
import { runJob } from '../../../workers/jobs/runJob';
import { registry } from '../../../workers/registry';

let effects: Effects;
let services: Services;
let companyId: number;
let as: Caller;

beforeAll(async () => {
  effects = await Effects.start();
  services = effects.services;
});
beforeEach(async () => {
  const company = await createCompany(services);
  companyId = company.companyId;
  as = effects.api.as(company.token);
  await createCategory(services, companyId, 'Travel');
});

interface Import {
  id: number;
  status: string;
  created: number;
}

async function upload(
  file: string | Buffer,
  fields: Record<string, string> = {},
): Promise<{ id: number; jobId: number }> {
  const request = as.post('/api/imports');
  for (const [name, text] of Object.entries({ type: 'expenses', ...fields })) request.field(name, text);
  const { body } = await request.attach('file', Buffer.from(file as string), 'file.csv').expect(202);
  const jobId = (await effects.jobs(companyId, 'importRecords')).at(-1)?.id ?? 0;
  return { id: (body as Import).id, jobId };
}
const read = async (id: number): Promise<Import> => (await as.get(`/api/imports/${id}`).expect(200)).body as Import;
const imported = async (file: string | Buffer, fields: Record<string, string> = {}): Promise<Import> => {
  const { id, jobId } = await upload(file, fields);
  expect(await effects.runToEnd(jobId)).toMatchObject({ status: 'done' });
  return read(id);
};
const errorsOf = async (id: number): Promise<unknown[]> => {
  const { body } = await as.get(`/api/imports/${id}/errors?limit=100`).expect(200);
  return (body as { data: { line: number; field: string; message: string }[] }).data.map(({ line, field, message }) => [
    line,
    field,
    message,
  ]);
};
const vendors = async (): Promise<string[]> => {
  const rows = await services.sql.rows<{ vendor: string }>(
    'SELECT vendor FROM expenses WHERE companyId = ? ORDER BY id',
    [companyId],
  );
  return rows.map(({ vendor }) => vendor);
};
const events = async (type: string): Promise<number> => {
  const [row] = await services.sql.rows<{ count: number }>(
    'SELECT COUNT(*) AS count FROM events WHERE companyId = ? AND type = ?',
    [companyId, type],
  );
  return row?.count ?? 0;
};

const header = 'vendor,amount,expenseDate,category,externalId\n';
const rowsOf = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `Vendor ${at},${at + 1}.50,2126-01-31,Travel,x-${at}\n`);
const fileOf = (count: number): string => header + rowsOf(count).join('');

describe('an import of expenses', () => {
  test('creates each row as a POST would, with its event, its count and its external id', async () => {
    const file = [
      'vendor;amount;expenseDate;category;status;description;externalId;recurring;currency;vendorId',
      '"Café ""Ü""; Söhne";12.5;2126-01-31;TRAVEL;approved;"two\nlines";x-1;;;7',
      'Rent;100;2126-02-01;travel;;;;monthly;USD;',
    ].join('\r\n');
    expect(await imported(`\ufeff${file}`)).toMatchObject({
      status: 'done',
      rows: 2,
      created: 2,
      unchanged: 0,
      failed: 0,
    });
    const { body } = await as.get('/api/expenses?sortBy=id&sortOrder=asc').expect(200);
    expect(body).toMatchObject({
      total: 2,
      data: [
        { vendor: 'Café "Ü"; Söhne', amount: 12.5, status: 'approved', description: 'two\nlines', vendorId: 7 },
        { vendor: 'Rent', amount: 100, currency: 'USD', recurring: 'monthly', nextDueDate: '2126-03-01' },
      ],
    });
    expect((await as.get('/api/expenses?externalId=x-1').expect(200)).body).toMatchObject({ total: 1 });
    expect((await as.get('/api/expenses?status=approved').expect(200)).body).toMatchObject({ total: 1 });
    expect([await events('expense.created'), await events('expense.approved')]).toEqual([2, 1]);
  });

  test('a second time leaves what has an external id unchanged', async () => {
    const file = fileOf(250);
    expect(await imported(file)).toMatchObject({ created: 250, unchanged: 0 });
    expect(await imported(file)).toMatchObject({ created: 0, unchanged: 250, failed: 0 });
    expect(await vendors()).toHaveLength(250);
  });

  test('reports each wrong row with its line, and imports the others', async () => {
    const file = [
      'vendor,amount,expenseDate,category,externalId',
      'Good,1,2126-01-31,Travel,x-1',
      '"Two\nlines",1,2126-01-31,Travel,',
      'Wrong,-1,31.01.2026,Food,',
      ',abc,2126-01-31,Travel,x-1',
      'Short,1',
      'Again,1,2126-01-31,Travel,x-1',
      'Last,1,2126-01-31,Travel,',
    ].join('\n');
    const { id, ...result } = await imported(file);
    expect(result).toMatchObject({ rows: 7, created: 2, unchanged: 1, failed: 4 });
    expect(await vendors()).toEqual(['Good', 'Last']);
    expect(await errorsOf(id)).toEqual([
      [3, 'vendor', 'must be one line without control characters'],
      [5, 'category', 'is not a category of this company'],
      [5, 'amount', 'must be greater than 0'],
      [5, 'expenseDate', expect.stringContaining('YYYY-MM-DD')],
      [6, 'vendor', 'is required'],
      [6, 'amount', 'must be a number'],
      [7, 'row', 'has 2 cells where the first line has 5'],
    ]);
    const { text } = await as.get(`/api/imports/${id}/errors`).set('Accept', 'text/csv').expect(200);
    expect(text.split('\r\n')[1]).toMatch(/^\d+,3,vendor,/);
  });

  test('reports a row that the operation refuses, and imports those', async () => {
    const file = `vendor,amount,expenseDate,category,recurring\nA,1,2126-01-31,Travel,\nB,1,9999-12-31,Travel,monthly\nC,1,2126-01-31,Travel,\n`;
    const { id, ...result } = await imported(file);
    expect(result).toMatchObject({ created: 2, failed: 1 });
    expect(await errorsOf(id)).toEqual([[3, 'nextDueDate', 'would lie beyond the year 9999']]);
    expect(await vendors()).toEqual(['A', 'C']);
    expect(await events('expense.created')).toBe(2);
  });

  test('keeps the first 1,000 errors, and counts all rows that failed', async () => {
    const { id, ...result } = await imported(header + ',1,2126-01-31,Travel,\n'.repeat(1_100));
    expect(result).toMatchObject({ created: 0, failed: 1_100 });
    expect((await as.get(`/api/imports/${id}/errors`).expect(200)).body).toMatchObject({ total: 1_000 });
  });

  test('as a dry run says the same, and creates nothing', async () => {
    await imported(fileOf(1));
    const { id, ...result } = await imported(`${fileOf(150)},1,2126-01-31,Travel,\n`, { dryRun: 'true' });
    expect(result).toMatchObject({ dryRun: true, created: 149, unchanged: 1, failed: 1 });
    expect(await errorsOf(id)).toEqual([[152, 'vendor', 'is required']]);
    expect([await vendors(), await events('expense.created')]).toEqual([['Vendor 0'], 1]);
  });

  test('of what the list of another company has as CSV creates the same again', async () => {
    const expense = { vendor: '=Acme', amount: 12.5, expenseDate: '2126-01-31', description: "'-1\nline" };
    const { id: categoryId } = await createCategory(services, companyId, 'Food');
    await as
      .post('/api/expenses')
      .send({ ...expense, categoryId })
      .expect(201);
    const columns = 'vendor,amount,expenseDate,description,category.name,status,createdAt';
    const { text } = await as.get(`/api/expenses?columns=${columns}`).set('Accept', 'text/csv').expect(200);
    const other = await createCompany(services);
    ({ companyId } = other);
    as = effects.api.as(other.token);
    await createCategory(services, companyId, 'Food');
    expect(await imported(text)).toMatchObject({ created: 1, failed: 0 });
    const { body } = await as.get('/api/expenses').expect(200);
    expect(body).toMatchObject({ data: [{ ...expense, category: { name: 'Food' } }] });
  });

  test('does not find the category of another company, nor one that was deleted', async () => {
    const other = await createCompany(services);
    const { id } = await createCategory(services, other.companyId, 'Other');
    const deleted = await createCategory(services, companyId, 'Deleted');
    await as.delete(`/api/categories/${deleted.id}`).expect(200);
    const rows = [
      `A,1,2126-01-31,${id},`,
      `B,1,2126-01-31,,Other`,
      `C,1,2126-01-31,,Deleted`,
      `D,1,2126-01-31,${deleted.id},`,
    ];
    const result = await imported(`vendor,amount,expenseDate,categoryId,category\n${rows.join('\n')}\n`);
    expect(result).toMatchObject({ created: 0, failed: 4 });
  });

  test('looks a category up once, also one that is not there', async () => {
    const rows = jest.spyOn(services.sql, 'rows');
    await imported(`vendor,amount,expenseDate,category\n${'A,1,2126-01-31,Unknown\n'.repeat(20)}`);
    const lookups = rows.mock.calls.filter(([, values]) => values?.includes('Unknown'));
    jest.restoreAllMocks();
    expect(lookups).toHaveLength(1);
  });
});

describe('an import of clients', () => {
  test('creates them, and again leaves those with an external id unchanged; the list finds them by it', async () => {
    const file =
      'name,email,phone,address,taxId,locale,reminders,externalId\nAcme,a@acme.example,+1,"Street 1\nTown",T-1,de,false,c-1\nNo id,,,,,,,\n';
    expect(await imported(file, { type: 'clients' })).toMatchObject({ created: 2, unchanged: 0, failed: 0 });
    expect(await imported(file, { type: 'clients' })).toMatchObject({ created: 1, unchanged: 1, failed: 0 });
    const { body } = await as.get('/api/clients?externalId=c-1').expect(200);
    expect(body).toMatchObject({
      total: 1,
      data: [{ name: 'Acme', address: 'Street 1\nTown', locale: 'de', reminders: false }],
    });
    expect(await events('client.created')).toBe(3);
  });
});

describe('the job of an import', () => {
  test('lets the event loop run other work while it checks rows', async () => {
    const { expenses } = importKinds;
    const toInput = expenses.toInput.bind(expenses);
    let iteration = 0;
    const checkedIn = new Set<number>();
    jest.spyOn(expenses, 'toInput').mockImplementation((fields) => {
      if (!checkedIn.has(iteration)) setImmediate(() => iteration++);
      checkedIn.add(iteration);
      // As for values that take long to check.
      for (const until = performance.now() + 1; performance.now() < until;);
      return toInput(fields);
    });
    await imported(fileOf(100));
    expect(checkedIn.size).toBeGreaterThanOrEqual(10);
  });

  test('goes on after a crash at each of its transactions, and no row is lost or created twice', async () => {
    const perform = services.perform.bind(services);
    for (let crash = 1; ; crash++) {
      const { id, jobId } = await upload(fileOf(350).replaceAll('x-', `x-${crash}-`));
      let transactions = 0;
      const killed: Services['perform'] = (scope, work) => {
        const isLast = ++transactions === crash;
        return perform(scope, async (uow) => {
          const result = await work(uow);
          if (isLast) throw new Error('killed');
          return result;
        });
      };
      await effects.run(jobId, { services: { ...services, perform: killed } });
      const finished = transactions < crash;
      // The last transaction follows the end of the job: it only removes the file.
      if ((await effects.job(jobId)).status !== 'done') {
        // As after a kill: the row of the job is still running, and its lease ends.
        await services.sql.run(
          "UPDATE jobs SET status = 'running', leaseUntil = '2020-01-01', endedAt = NULL WHERE id = ?",
          [jobId],
        );
        await services.sql.run("UPDATE imports SET status = 'running', endedAt = NULL WHERE id = ?", [id]);
      }
      await effects.runToEnd(jobId);
      expect(await read(id)).toMatchObject({ status: 'done', created: 350, unchanged: 0, failed: 0 });
      if (finished) break;
      expect(crash).toBeLessThan(20);
    }
    const all = await vendors();
    expect(all.length % 350).toBe(0);
    const [{ recorded } = { recorded: 0 }] = await services.sql.rows<{ recorded: number }>(
      'SELECT COUNT(DISTINCT externalId) AS recorded FROM expense_details WHERE companyId = ?',
      [companyId],
    );
    expect(recorded).toBe(all.length);
  });

  test('records nothing once another run has claimed it', async () => {
    const { id, jobId } = await upload(fileOf(150));
    const { files } = services;
    const open = files.open.bind(files);
    jest.spyOn(files, 'open').mockImplementationOnce(async (...given) => {
      await services.sql.run('UPDATE jobs SET attempt = attempt + 1 WHERE id = ?', [jobId]);
      return open(...given);
    });
    await effects.run(jobId);
    expect([await vendors(), await read(id)]).toMatchObject([[], { status: 'running', created: 0 }]);
  });

  test('delivered a second time after its end does nothing', async () => {
    const { jobId } = await upload(fileOf(3));
    await effects.runToEnd(jobId);
    expect(await effects.run(jobId)).toEqual({ done: true });
    expect(await vendors()).toHaveLength(3);
  });

  test('is retried while the file store is unavailable, and fails for good when the file is gone', async () => {
    const { id, jobId } = await upload(fileOf(3));
    const open = jest.spyOn(services.files, 'open').mockRejectedValueOnce(new ServiceUnavailable('the file store'));
    expect(await effects.run(jobId)).toHaveProperty('nextRunAt');
    open.mockResolvedValueOnce(null);
    expect(await effects.runToEnd(jobId)).toMatchObject({ status: 'failed' });
    expect(await read(id)).toMatchObject({ status: 'failed', created: 0 });
    expect(await errorsOf(id)).toEqual([[1, 'file', 'the import ended early: the file of the import not found']]);
  });

  test('lets another company go first after a second of work', async () => {
    const { jobId } = await upload(fileOf(350));
    let now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 400));
    expect(await effects.run(jobId)).toHaveProperty('nextRunAt');
    jest.restoreAllMocks();
    expect((await vendors()).length).toBeLessThan(350);
    await effects.runToEnd(jobId);
    expect(await vendors()).toHaveLength(350);
  });

  test('lets another company go first between the parts of a chunk with a row that is refused', async () => {
    const columns = header.replace('externalId', 'recurring,externalId');
    const refused = 'Last,1,9999-12-31,Travel,monthly,x-last\n';
    const { id, jobId } = await upload(
      [columns, ...rowsOf(99).map((row) => row.replace('x-', ',x-')), refused].join(''),
    );
    let now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 400));
    expect(await effects.run(jobId)).toHaveProperty('nextRunAt');
    jest.restoreAllMocks();
    expect(await read(id)).toMatchObject({ created: 50, failed: 0 });
    await effects.runToEnd(jobId);
    expect(await read(id)).toMatchObject({ created: 99, unchanged: 0, failed: 1 });
  });

  test('is charged for reading the rows before those that it imports', async () => {
    const { id, jobId } = await upload(fileOf(3_500));
    await services.sql.run('UPDATE imports SET created = 3499 WHERE companyId = ? AND id = ?', [companyId, id]);
    const charges: number[] = [];
    await runJob(effects.tools, registry, jobId, new AbortController().signal, 0, (ms) => charges.push(ms));
    expect(await vendors()).toEqual(['Vendor 3499']);
    // At least one for each thousand rows.
    expect(charges.length).toBeGreaterThan(3);
  });

  test('removes the file at its end and gives its room back; the clean-up removes what a crash left', async () => {
    // Of the tests before.
    effects.clock.moveOn(3_600_001);
    await cleanUp(services);
    const before = await storedKeys();
    await imported(fileOf(3));
    expect(await storedKeys()).toEqual(before);
    const usage = 'SELECT bytes FROM receipt_usage WHERE companyId = ?';
    expect(await services.sql.rows(usage, [companyId])).toEqual([{ bytes: 0 }]);

    jest.spyOn(services.files, 'remove').mockRejectedValueOnce(new Error('unreachable'));
    await imported(fileOf(3));
    expect(await storedKeys()).toHaveLength(before.length + 1);
    effects.clock.moveOn(3_600_001);
    expect(await cleanUp(services)).toMatchObject({ imports: 1 });
    expect(await storedKeys()).toEqual(before);
    effects.clock.moveOn(30 * 86_400_000);
    await cleanUp(services);
    expect((await as.get('/api/imports').expect(200)).body).toMatchObject({ total: 0 });
  });
});
