import { updateInvoice } from '../../../shared/invoices';
import type { Services } from '../../../shared/services';
import { createClient, createCompany, createInvoice } from '../../support/factories';
import { openTestServices } from '../../support/installation';
import { nothingIsDue, runAllSchedules, SetClock } from '../../support/schedules';

const clock = new SetClock('2027-01-10T05:00:00Z');
let services: Services;
let companyId: number;

beforeAll(async () => {
  services = await openTestServices({ clock });
});
beforeEach(async () => {
  await nothingIsDue(services);
  clock.set('2027-01-10T05:00:00Z');
  ({ companyId } = await createCompany(services));
});

/** A monthly series from January 10, of a client with an address unless `email: null` is given. */
async function createSeries(email: string | null = 'accounts@client.example', autoSend = true): Promise<number> {
  const { id: clientId } = await createClient(services, companyId, { email });
  const dates = { issueDate: '2027-01-10', dueDate: '2027-01-24' };
  const { id } = await createInvoice(services, companyId, { clientId, ...dates, recurring: 'monthly' });
  await services.perform({ companyId, actor: 'test' }, (uow) => updateInvoice(uow, id, { autoSend }));
  return id;
}

const asOf = (day: string) => runAllSchedules(services, { asOf: day });

/** The e-mails of a series' occurrences, with their jobs. */
const emailsOf = (seriesId: number) =>
  services.sql.rows(
    `SELECT i.occurrenceDate AS date, i.status AS invoice, e.kind, e.recipient, j.name, j.status FROM invoices i
       JOIN emails e ON e.companyId = i.companyId AND e.invoiceId = i.id JOIN jobs j ON j.companyId = e.companyId AND j.id = e.jobId
      WHERE i.companyId = ? AND i.seriesId = ? ORDER BY i.occurrenceDate`,
    [companyId, seriesId],
  );
/** The types of the events of a series' occurrences, in their order, with the reason of a skipped e-mail. */
async function eventsOf(seriesId: number): Promise<[string, string?][]> {
  const rows = await services.sql.rows<{ type: string; data: string }>(
    `SELECT e.type, e.data FROM events e JOIN invoices i ON i.companyId = e.companyId AND i.id = e.subjectId
      WHERE e.companyId = ? AND i.seriesId = ? AND (e.type LIKE 'invoice.%' OR e.type LIKE 'email.%') ORDER BY e.id`,
    [companyId, seriesId],
  );
  return rows.map(({ type, data }) => {
    const { reason } = JSON.parse(String(data)) as { reason?: string };
    return reason === undefined ? [type] : [type, reason];
  });
}

const request = (date: string): object => ({
  ...{ date, invoice: 'draft', kind: 'invoice', recipient: 'accounts@client.example' },
  ...{ name: 'sendInvoiceEmail', status: 'pending' },
});

test('an occurrence of a series with autoSend › has one e-mail that waits for its job; a second run requests none', async () => {
  const id = await createSeries();
  await asOf('2027-03-10');
  await asOf('2027-03-10');
  expect(await emailsOf(id)).toEqual([request('2027-02-10'), request('2027-03-10')]);
  expect(await eventsOf(id)).toEqual([
    ['invoice.created'],
    ['invoice.created'],
    ['email.requested'],
    ['email.requested'],
  ]);
});

test('without autoSend, or with it switched off again › nothing is requested', async () => {
  const [never, off] = [await createSeries(undefined, false), await createSeries()];
  await services.perform({ companyId, actor: 'test' }, (uow) => updateInvoice(uow, off, { autoSend: false }));
  await asOf('2027-02-10');
  expect([...(await emailsOf(never)), ...(await emailsOf(off))]).toEqual([]);
  expect(await eventsOf(off)).toEqual([['invoice.created']]);
});

test('the occurrence itself does not send on', async () => {
  const id = await createSeries();
  await asOf('2027-02-10');
  expect(await services.sql.rows('SELECT autoSend FROM invoices WHERE seriesId = ?', [id])).toEqual([{ autoSend: 0 }]);
});

test('a client without an address, a company that is no sender › the draft is created, and an event says why it is not sent', async () => {
  const [none, other] = [await createSeries(null), await createSeries()];
  expect((await asOf('2027-02-10')).failed).toEqual([]);
  expect(await eventsOf(none)).toEqual([['invoice.created'], ['email.skipped', 'client_without_email']]);
  expect(await emailsOf(other)).toEqual([request('2027-02-10')]);
  await services.sql.run('UPDATE companies SET email = NULL WHERE id = ?', [companyId]);
  expect((await asOf('2027-03-10')).failed).toEqual([]);
  expect((await eventsOf(other)).slice(2)).toEqual([['invoice.created'], ['email.skipped', 'sender_not_found']]);
  expect(await emailsOf(other)).toHaveLength(1);
});

test('the occurrence and its request are recorded together, or neither is', async () => {
  const id = await createSeries();
  // Not prepared: MySQL prepares no trigger.
  await services.sequelize.query(
    `CREATE TRIGGER refuse_email BEFORE INSERT ON emails FOR EACH ROW
      BEGIN IF NEW.companyId = ${companyId} THEN SIGNAL SQLSTATE '45000'; END IF; END`,
  );
  try {
    expect((await asOf('2027-02-10')).failed).toMatchObject([{ kind: 'invoice', id }]);
    expect(await services.sql.rows('SELECT id FROM invoices WHERE seriesId = ?', [id])).toEqual([]);
  } finally {
    await services.sequelize.query('DROP TRIGGER refuse_email');
  }
  await asOf('2027-02-10');
  expect(await emailsOf(id)).toEqual([request('2027-02-10')]);
});

test('rivals that scan at the same time › one request for each date', async () => {
  const ids = await Promise.all([createSeries(), createSeries(), createSeries()]);
  await Promise.all(Array.from({ length: 4 }, () => asOf('2027-06-10')));
  for (const id of ids) {
    const dates = (await emailsOf(id)).map((row) => (row as { date: string }).date);
    expect(dates).toEqual(['2027-02-10', '2027-03-10', '2027-04-10', '2027-05-10', '2027-06-10']);
  }
});
