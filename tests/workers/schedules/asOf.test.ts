import type { Services } from '../../../shared/services';
import { previewSchedules } from '../../../shared/schedules/runSchedules';
import { createClient, createCompany, createExpense, createInvoice } from '../../support/factories';
import { openTestServices } from '../../support/installation';
import { checksums, multiplySeries, nothingIsDue, runAllSchedules, SetClock, type Told } from '../../support/schedules';

const clock = new SetClock('2027-01-10T05:00:00Z');
let services: Services;

beforeAll(async () => {
  services = await openTestServices({ clock });
});
beforeEach(async () => {
  await nothingIsDue(services);
  clock.set('2027-01-10T05:00:00Z');
});

const preview = (asOf: string | null): Promise<Told> => runAllSchedules(services, { asOf }, previewSchedules);
const sorted = ({ created, overdue }: Told): string[] =>
  [...created, ...overdue].map((one) => JSON.stringify(one)).sort();

/** Something of everything, in two companies of zones that are far apart. */
async function everything(): Promise<void> {
  for (const timezone of ['Pacific/Kiritimati', 'America/New_York']) {
    const { companyId } = await createCompany(services, { timezone });
    const clientId = (await createClient(services, companyId)).id;
    const issued = { clientId, issueDate: '2027-01-01', dueDate: '2027-01-20' };
    await createExpense(services, companyId, { expenseDate: '2027-01-31', recurring: 'monthly' });
    await createExpense(services, companyId, { expenseDate: '2020-01-01', recurring: 'weekly' });
    await createExpense(services, companyId, { expenseDate: '2027-01-10', recurring: 'yearly' });
    await createInvoice(services, companyId, { ...issued, recurring: 'monthly' });
    await createInvoice(services, companyId, { ...issued, status: 'sent' });
    await createInvoice(services, companyId, { ...issued, status: 'paid' });
  }
}

describe('a dry run', () => {
  test.each([[null], ['2027-01-09'], ['2027-01-21'], ['2028-03-31']])(
    'as of %j › writes nothing at all, and tells what a real one then does',
    async (asOf) => {
      await everything();
      clock.set('2027-02-28T11:00:00Z');
      const before = await checksums(services);
      const told = await preview(asOf);
      expect(await checksums(services)).toEqual(before);
      const done = await runAllSchedules(services, { asOf });
      expect(sorted(told)).toEqual(sorted(done));
      expect(told.failed).toEqual([]);
      expect(done.created.length > 0).toBe(asOf !== '2027-01-09');
      expect(sorted(await preview(asOf))).toEqual([]);
    },
  );

  test('of more series than one batch, with many dates each › reports every one', async () => {
    const { companyId } = await createCompany(services);
    const { id } = await createExpense(services, companyId, { expenseDate: '2027-01-10', recurring: 'daily' });
    await multiplySeries(services, id, 401);
    const told = await preview('2027-01-15');
    expect(told.created).toHaveLength(401 * 5);
    const oneByOne = told.created.filter(({ seriesId }) => seriesId === id).map(({ date }) => date);
    expect(oneByOne).toEqual(['2027-01-11', '2027-01-12', '2027-01-13', '2027-01-14', '2027-01-15']);
    expect(sorted(await runAllSchedules(services, { asOf: '2027-01-15' }))).toEqual(sorted(told));
  });

  test('does not wait for what another transaction has locked', async () => {
    const { companyId } = await createCompany(services);
    const { id } = await createExpense(services, companyId, { expenseDate: '2027-01-10', recurring: 'daily' });
    await services.perform({ companyId, actor: 'test' }, async ({ sql }) => {
      await sql.rows('SELECT id FROM expenses WHERE companyId = ? AND id = ? FOR UPDATE', [companyId, id]);
      expect((await preview('2027-01-11')).created).toHaveLength(1);
    });
  });
});

describe('as of a date', () => {
  test('overdue is what that day finds, and the companies’ own look is still to come', async () => {
    const { companyId } = await createCompany(services);
    clock.set('2027-01-12T05:00:00Z');
    await runAllSchedules(services);
    const look = async (): Promise<object[]> =>
      services.sql.rows('SELECT overdueCheckAt FROM companies WHERE id = ?', [companyId]);
    const before = await look();
    const sent = { status: 'sent', issueDate: '2027-01-12' } as const;
    const soon = await createInvoice(services, companyId, { ...sent, dueDate: '2027-01-12' });
    const later = await createInvoice(services, companyId, { ...sent, dueDate: '2027-01-31' });
    const overdue = async (asOf: string | null): Promise<number[]> =>
      (await runAllSchedules(services, { asOf })).overdue.map(({ invoiceId }) => invoiceId);
    expect(await overdue('2027-01-12')).toEqual([]);
    expect(await overdue('2027-01-31')).toEqual([soon.id]);
    expect(await look()).toEqual(before);
    expect(await overdue('2027-02-01')).toEqual([later.id]);
    expect(before).toEqual([{ overdueCheckAt: '2027-01-12 17:00:00' }]);
    const own = await createInvoice(services, companyId, { ...sent, dueDate: '2027-01-12' });
    clock.set('2027-01-12T17:00:00Z');
    expect(await overdue(null)).toEqual([own.id]);
  });

  test('in the past › does nothing, not even to invoices that are due by now', async () => {
    await everything();
    clock.set('2027-06-01T05:00:00Z');
    const told = await runAllSchedules(services, { asOf: '2027-01-10' });
    expect(told).toEqual({ created: [], overdue: [], reminded: [], failed: [] });
    expect((await runAllSchedules(services)).created.length).toBeGreaterThan(0);
  });

  test('what it has made ahead of the calendar › the clock does not make again', async () => {
    const { companyId } = await createCompany(services);
    await createExpense(services, companyId, { expenseDate: '2027-01-10', recurring: 'daily' });
    expect((await runAllSchedules(services, { asOf: '2027-01-15' })).created).toHaveLength(5);
    clock.set('2027-01-15T05:00:00Z');
    expect((await runAllSchedules(services)).created).toEqual([]);
    clock.set('2027-01-16T05:00:00Z');
    expect((await runAllSchedules(services)).created).toMatchObject([{ date: '2027-01-16' }]);
  });
});
