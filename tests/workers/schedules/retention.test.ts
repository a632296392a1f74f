import { createHash } from 'node:crypto';
import { emailStatuses, type EmailStatus } from '../../../shared/emails/statuses';
import { ApiKey, Job, WebhookEndpoint } from '../../../shared/models';
import { Email, Event, StoredFile } from '../../support/models';
import { ServiceUnavailable } from '../../../shared/engine/errors';
import { cleanUp } from '../../../shared/schedules/cleanUp';
import { countStoredPdfs } from '../../../workers/invoices/countStoredPdfs';
import { MovableClock } from '../../support/clock';
import { photo } from '../../support/drawings';
import { eventually } from '../../support/eventually';
import { createClient, createCompany, createInvoice, createKey } from '../../support/factories';
import { pdf, png } from '../../support/images';
import { numberAll } from '../../support/sequencer';
import { startApi, type Caller, type TestApi } from '../../support/server';
import { createEndpoint } from '../../support/webhooks';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const clock = new MovableClock();
let api: TestApi;
let companyId: number;
let caller: Caller;

beforeAll(async () => {
  api = await startApi({
    env: {
      EVENTS_KEPT_DAYS: '7',
      EMAILS_KEPT_DAYS: '7',
      MAX_LOGOS: '3',
      PDF_CACHE_MB: '1',
      PDF_RETENTION_DAYS: '9999',
    },
    clock,
  });
});
beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
});

interface Page {
  data: { id: number; type: string }[];
  nextAfter: number;
}
const feed = async (query: string): Promise<Page> => (await caller.get(`/api/events${query}`).expect(200)).body as Page;

describe('events older than EVENTS_KEPT_DAYS', () => {
  test('are removed, but those without a number and those that an endpoint has not got; a reader that missed one is told', async () => {
    const invoice = await createInvoice(api.services, companyId);
    await numberAll(api.services);
    const { data: old, nextAfter: upTo } = await feed('');
    expect(old.map(({ type }) => type)).toContain('invoice.created');
    const behind = await createCompany(api.services);
    await numberAll(api.services);
    await createEndpoint(api.services, behind.companyId);
    await createClient(api.services, behind.companyId);
    await numberAll(api.services);
    await createClient(api.services, companyId, { name: 'unnumbered' });
    clock.moveOn(7 * DAY_MS + 1);
    const { companyId: quiet, token } = await createCompany(api.services);
    const ofBehind = await Event.count({ where: { companyId: behind.companyId } });

    expect((await cleanUp(api.services)).events).toBeGreaterThanOrEqual(old.length);
    await numberAll(api.services);
    expect(await Event.count({ where: { companyId: behind.companyId } })).toBeGreaterThan(0);
    expect(await Event.count({ where: { companyId: behind.companyId } })).toBeLessThan(ofBehind);
    expect(await Event.count({ where: { companyId: quiet } })).toBeGreaterThan(0);

    const { body: told } = await caller.get(`/api/events?after=${upTo - 1}`).expect(410);
    expect(told).toMatchObject({ code: 'events_removed', detail: expect.stringContaining(String(upTo)) as string });
    await caller.get('/api/events?after=0').expect(410);
    for (const query of ['', `?after=${upTo}`]) {
      expect((await feed(query)).data.map(({ type }) => type)).toEqual(['client.created']);
    }
    // Nothing of this one was removed.
    await api.as(token).get('/api/events?after=0').expect(200);
    const timeline = await caller.get(`/api/invoices/${invoice.id}/timeline`).expect(200);
    expect(timeline.body).toMatchObject({ data: [], total: 0 });
    await caller.get(`/api/invoices/${invoice.id}`).expect(200);

    const { id } = await createEndpoint(api.services, companyId);
    const replay = (after: number) =>
      caller.post(`/api/webhook-endpoints/${id}/replay`).send({ after, until: upTo + 10 });
    expect((await replay(0).expect(410)).body).toMatchObject({ code: 'events_removed' });
    await replay(upTo).expect(202);

    await WebhookEndpoint.update({ position: upTo + DAY_MS }, { where: { companyId: behind.companyId } });
    await cleanUp(api.services);
    expect(await Event.count({ where: { companyId: behind.companyId } })).toBe(0);
  });

  test('stay for ever unless it is set', async () => {
    const forEver = await startApi({ clock });
    await createClient(forEver.services, companyId);
    await numberAll(forEver.services);
    clock.moveOn(1_000 * DAY_MS);
    expect(await cleanUp(forEver.services)).toMatchObject({ events: 0, emails: 0 });
  });
});

test('e-mails older than EMAILS_KEPT_DAYS are removed once they have ended and their jobs are gone', async () => {
  const { id: invoiceId } = await createInvoice(api.services, companyId);
  const now = clock.now();
  const job = await Job.create({
    ...{
      companyId,
      name: 'sendInvoiceEmail',
      queue: 'email',
      payload: '{}',
      status: 'failed',
      attempt: 1,
      maxAttempt: 1,
    },
    ...{ availableAt: now, relayAt: now, endedAt: now, createdAt: now, updatedAt: now },
  });
  const store = (status: EmailStatus, jobId: number | null = null) =>
    Email.create({
      ...{ companyId, invoiceId, messageId: `${status}-${jobId}@x`, recipient: 'a@b.example', status, jobId },
      ...{ providerMessageId: null, attemptedAt: null, sentAt: null, createdAt: clock.now(), updatedAt: clock.now() },
    });
  for (const status of emailStatuses) await store(status);
  await store('failed', job.id);
  clock.moveOn(7 * DAY_MS + 1);
  await store('delivered', 1);
  expect((await cleanUp(api.services)).emails).toBe(5);
  const left = await Email.findAll({ where: { companyId }, order: ['id'] });
  expect(left.map(({ status, jobId }) => [status, Number(jobId)])).toEqual([
    ['queued', 0],
    ['sending', 0],
    ['uncertain', 0],
    ['failed', job.id],
    ['delivered', 1],
  ]);
  await job.destroy();
  expect((await cleanUp(api.services)).emails).toBe(1);
});

describe('logos', () => {
  const upload = async (image: Buffer | Promise<Buffer>) =>
    caller.put('/api/company/logo').attach('logo', await image, 'a');
  const stored = async (): Promise<string[]> =>
    (await StoredFile.findAll({ where: { companyId, kind: 'logo' }, order: ['id'] })).map(({ fileKey }) => fileKey);
  const isThere = async (key = ''): Promise<boolean> => (await api.services.files.get(key)) !== null;

  test('replaced ones are removed a day later, with their files, but for those of sent invoices and the current one', async () => {
    await upload(png(9, 9)).then(({ status }) => expect(status).toBe(200));
    await createInvoice(api.services, companyId, { status: 'sent' });
    await upload(photo(30, 20));
    await upload(photo(31, 20));
    const [sent, replaced, current] = await stored();
    await cleanUp(api.services);
    expect(await stored()).toEqual([sent, replaced, current]);
    clock.moveOn(DAY_MS + 1_000);
    expect(await cleanUp(api.services)).toMatchObject({ logos: 1 });
    expect(await stored()).toEqual([sent, current]);
    expect([await isThere(sent), await isThere(replaced), await isThere(current)]).toEqual([true, false, true]);
    await caller.delete('/api/company/logo').expect(200);
    // It is the current one again, or shown by an invoice, before the day is over.
    await upload(photo(31, 20));
    clock.moveOn(DAY_MS + 1_000);
    expect(await cleanUp(api.services)).toMatchObject({ logos: 0 });
    await caller.delete('/api/company/logo').expect(200);
    clock.moveOn(DAY_MS + 1_000);
    expect(await cleanUp(api.services)).toMatchObject({ logos: 1 });
    expect(await stored()).toEqual([sent]);
    expect(await isThere(sent)).toBe(true);
  });

  test('beyond MAX_LOGOS › 409 limit_reached, of concurrent uploads too, and no file is stored', async () => {
    await upload(png(8, 8));
    await upload(png(9, 9));
    const responses = await Promise.all([10, 11, 12].map((width) => upload(png(width, 5))));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(responses.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'limit_reached' });
    const keys = await stored();
    expect(keys).toHaveLength(3);
    const files: string[] = [];
    for await (const key of api.services.files.keys()) if (key.startsWith(`logo/${companyId}/`)) files.push(key);
    expect(files.sort()).toEqual([...keys].sort());
    // What is stored already takes no further room.
    await upload(png(8, 8)).then(({ status }) => expect(status).toBe(200));
  });

  test('a crash between the file and the company › the file is removed a day later', async () => {
    jest.spyOn(api.services.files, 'put').mockRejectedValueOnce(new Error('killed'));
    await upload(png(8, 8)).then(({ status }) => expect(status).toBe(500));
    expect(await stored()).toHaveLength(1);
    clock.moveOn(DAY_MS + 1_000);
    await cleanUp(api.services);
    expect(await stored()).toEqual([]);
  });
});

test('a step that fails, or one file that cannot be removed, stops none of the others', async () => {
  const { files } = api.services;
  const hash = (name: string): string => createHash('sha256').update(pdf(name)).digest('hex');
  for (const name of ['first', 'second', 'third']) {
    jest.spyOn(files, 'putFile').mockRejectedValueOnce(new Error('killed'));
    await caller.post('/api/receipts').attach('file', pdf(name), 'a').expect(500);
  }
  const expired = await createKey(api.services, companyId, { expiresAt: new Date(clock.now().getTime() + HOUR_MS) });
  const revoked = await createKey(api.services, companyId);
  await ApiKey.update({ revokedAt: clock.now() }, { where: { id: revoked.id } });
  clock.moveOn(32 * DAY_MS);
  const refused = new ServiceUnavailable('the file store');
  jest.spyOn(files, 'removeUnused').mockRejectedValue(refused);
  const remove = files.remove.bind(files);
  jest
    .spyOn(files, 'remove')
    .mockImplementation((key) => (key.includes(hash('first')) ? Promise.reject(refused) : remove(key)));
  await expect(cleanUp(api.services)).rejects.toBe(refused);
  expect(await StoredFile.findAll({ where: { companyId } })).toMatchObject([
    { fileKey: expect.stringContaining(hash('first')) as string },
  ]);
  expect(await api.services.sql.rows('SELECT id FROM api_keys WHERE id IN (?, ?)', [expired.id, revoked.id])).toEqual(
    [],
  );
  jest.restoreAllMocks();
  expect(await cleanUp(api.services)).toMatchObject({ receipts: 1 });
});

test('a company that prints without end keeps PDF_CACHE_MB of PDFs: those that were not read for longest are removed', async () => {
  const { files } = api.services;
  const keys = (of: number) => Array.from({ length: 5 }, (_, index) => `pdf/${of}/${index}.pdf`);
  const stored = countStoredPdfs(api.services);
  for (const [index, key] of [...keys(companyId), ...keys(companyId + 1_000)].entries()) {
    await files.put(key, Buffer.alloc(300 * 1024));
    // Files that are stored in one tick of the file system have the same time.
    await files.touch(key, new Date(clock.now().getTime() + index * 1_000));
  }
  stored(companyId, 250 * 1024);
  expect(await files.get(keys(companyId)[0] ?? '')).not.toBeNull();
  stored(companyId, 10 * 1024);
  await eventually(async () => (await files.get(keys(companyId)[1] ?? '')) === null);
  const left = await Promise.all([...keys(companyId), ...keys(companyId + 1_000)].map(async (key) => files.get(key)));
  expect(left.map((file) => file !== null)).toEqual([
    false,
    false,
    true,
    true,
    true,
    ...Array.from({ length: 5 }, () => true),
  ]);
});
