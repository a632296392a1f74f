import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { freePort } from '../../dev/servers/freePort';
import { LocalFileStore } from '../../shared/engine/files/LocalFileStore';
import { cleanUp } from '../../shared/schedules/cleanUp';
import { eventually } from '../support/eventually';
import { createClient, createCompany, createInvoice } from '../support/factories';
import { pdf, png } from '../support/images';
import { installation } from '../support/installation';
import { storedKeys } from '../support/receipts';
import { startWorkerProcess } from '../support/processes';
import { LocalS3, type S3Fault } from '../support/s3';
import { startApi, type Caller, type TestApi } from '../support/server';

/**
 * FILES_DIR is a volume that is unmounted while the service runs. For a process that is the same as another, empty folder at
 * this path, which needs no rights to make.
 */
let root: string;
let api: TestApi;
let caller: Caller;
let receipt: string;
let invoice: string;

const unmount = async (): Promise<void> => {
  await rename(root, `${root}-unmounted`);
  await mkdir(root);
};
const mount = async (): Promise<void> => {
  await rm(root, { recursive: true });
  await rename(`${root}-unmounted`, root);
};

beforeAll(async () => {
  root = (await installation())['FILES_DIR'] ?? '';
  api = await startApi({ env: { JOB_WAIT_MS: '200' } });
  const { companyId, token } = await createCompany(api.services);
  caller = api.as(token);
  const client = await createClient(api.services, companyId);
  invoice = `/api/invoices/${(await createInvoice(api.services, companyId, { clientId: client.id })).id}/pdf`;
  const stored = await caller.post('/api/receipts').attach('file', png(), 'a').expect(201);
  receipt = `/api/receipts/${(stored.body as { id: number }).id}`;
});

test('while it is unmounted › reads and writes are 503, nothing is written there, and the API is not ready', async () => {
  await api.as().get('/readyz').expect(200);
  await unmount();
  for (const refused of [
    await caller.get(receipt),
    await caller.get(invoice),
    await caller.post('/api/receipts').attach('file', pdf(), 'a'),
    await caller.put('/api/company/logo').attach('logo', png(), 'a.png'),
    await api.as().get('/readyz'),
  ]) {
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({ code: 'service_unavailable' });
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
  }
  expect(await readdir(root)).toEqual([]);

  await mount();
  await api.as().get('/readyz').expect(200);
  await caller.get(receipt).expect(200);
  await caller.post('/api/receipts').attach('file', pdf(), 'a').expect(201);
});

test('while it is unmounted › the clean-up waits, and removes no row whose file it cannot remove', async () => {
  const moment = "'2020-01-01'";
  await api.services.sql.run(`UPDATE stored_files SET storedAt = NULL, updatedAt = ${moment} WHERE kind = 'receipt'`);
  await unmount();
  await expect(cleanUp(api.services)).rejects.toMatchObject({ code: 'service_unavailable' });
  await expect(api.services.files.removeUnused('pdf', new Date())).rejects.toMatchObject({
    code: 'service_unavailable',
  });
  await mount();
  expect((await cleanUp(api.services)).receipts).toBeGreaterThan(0);
  expect(await storedKeys()).not.toContainEqual(expect.stringMatching(/^receipt/));
});

test('unmounted in the middle of an upload › the upload is not confirmed', async () => {
  jest.spyOn(LocalFileStore.prototype, 'putFile').mockImplementationOnce(unmount);
  await caller.post('/api/receipts').attach('file', png(7, 7), 'a').expect(503);
  await mount();
  await caller.post('/api/receipts').attach('file', png(7, 7), 'a').expect(201);
});

test('a worker › is ready only while it is mounted', async () => {
  const port = await freePort();
  const settings = { WORKER_QUEUES: 'payment-link', WORKER_HEALTH_PORT: String(port), XENDIT_SECRET_KEY: 'a key' };
  const worker = await startWorkerProcess({ ...(await installation()), ...settings });
  const ready = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
  expect(await ready()).toBe(200);
  await unmount();
  expect(await ready()).toBe(503);
  await mount();
  expect(await ready()).toBe(200);
  await worker.end('SIGTERM');
});

test('a bucket that becomes unreachable after the start › the API is not ready until it is back', async () => {
  const s3 = await LocalS3.start();
  try {
    await api.services.sql.run('UPDATE file_store SET storeId = NULL');
    const withBucket = await startApi({ env: s3.env });
    await withBucket.as().get('/readyz').expect(200);
    const unreachable: S3Fault = { match: /store-id/, times: 1_000, does: 403 };
    s3.fault(unreachable);
    const status = async (): Promise<number> => (await withBucket.as().get('/readyz')).status;
    await eventually(async () => (await status()) === 503);
    unreachable.times = 0;
    await eventually(async () => (await status()) === 200);
  } finally {
    s3.close();
  }
});
