import { once } from 'node:events';
import type { Socket } from 'node:net';
import { eventually } from '../../support/eventually';
import { createClient, createCompany, createInvoice } from '../../support/factories';
import { pdf } from '../../support/images';
import { createLargeInvoices, type LargeInvoices } from '../../support/largeInvoices';
import { startApi, type TestApi } from '../../support/server';
import { sendUnread } from '../../support/unread';

/** Readers are never cut off here within a test. */
const PATIENT_MS = 3_600_000;
const MIB = 1024 * 1024;
const list = '/api/invoices?limit=100';
let api: TestApi;
let large: LargeInvoices;

beforeAll(async () => {
  api = await startApi({ env: { MAX_RESPONSES_MB: '16' }, stalledAfterMs: PATIENT_MS });
  large = await createLargeInvoices(api.services, 20);
});

const get = (path: string, token = large.token, url = api.url): Promise<Response> =>
  fetch(url + path, { headers: { Authorization: `Bearer ${token}` } });

/** Resolves when the first bytes have arrived; they stay unread. */
const begun = (socket: Socket): Promise<unknown> => once(socket, 'readable');
/** Resolves with what has arrived and arrives until the server ends the connection. */
async function restOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).resume();
  await once(socket, 'close');
  return text;
}

describe('with as many unread responses as one company may hold', () => {
  const parked: Socket[] = [];
  beforeAll(async () => {
    for (let sent = 0; sent < 30; sent++) {
      const response = await get(list);
      if (response.status === 503) {
        expect(await response.json()).toMatchObject({ code: 'overloaded' });
        expect(response.headers.get('retry-after')).toBe('2');
        return;
      }
      await response.body?.cancel();
      parked.push(await sendUnread(api.url, large.token, [list]));
    }
    throw new Error('nothing was refused');
  });
  afterAll(() => parked.forEach((socket) => socket.destroy()));

  test('its small requests are served', async () => {
    await api.as(large.token).get('/api/invoices?page=1000').expect(200);
    await api.as(large.token).get('/api/company').expect(200);
  });

  test('another company’s large list arrives complete', async () => {
    const other = await createLargeInvoices(api.services, 5);
    const { data, total } = (await (await get(list, other.token)).json()) as { data: object[]; total: number };
    expect([data.length, total]).toEqual([5, 5]);
  });

  test('a change is still made and reported, whatever its response holds', async () => {
    const { body } = await api.as(large.token).put(`/api/invoices/${large.ids[0]}`).send({ notes: 'new' }).expect(200);
    expect(body).toMatchObject({ notes: 'new', items: { length: 1_000 } });
  });

  test('they are read › large lists are served again', async () => {
    parked.forEach((socket) => socket.destroy());
    const response = await get(list);
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });
});

describe('a reader that takes nothing', () => {
  let impatient: TestApi;
  let warn: jest.SpyInstance;
  beforeEach(async () => {
    impatient = await startApi({ env: { JOB_WAIT_MS: '1500' }, stalledAfterMs: 500 });
    warn = jest.spyOn(impatient.services.log, 'warn');
  });
  afterEach(() => warn.mockRestore());

  /** A reader that does not read does not see that it is cut off either. */
  const cutOff = (): Promise<boolean> =>
    eventually(() => warn.mock.calls.some(([, message]) => String(message).startsWith('a response is cut off')));

  test('of a list › is cut off in the middle of it', async () => {
    const socket = await sendUnread(impatient.url, large.token, [list]);
    await cutOff();
    const text = await restOf(socket);
    expect(text).toContain('{"data":[');
    expect(text).not.toContain('"totalPages"');
  });

  test('of a file › is cut off in the middle of it', async () => {
    const bytes = Buffer.concat([pdf(), Buffer.alloc(9 * MIB, 'receipt '), pdf()]);
    const { body } = await impatient.as(large.token).post('/api/receipts').attach('file', bytes, 'a').expect(201);
    const socket = await sendUnread(impatient.url, large.token, [`/api/receipts/${(body as { id: number }).id}`]);
    await cutOff();
    expect((await restOf(socket)).length).toBeLessThan(bytes.length);
  });

  test('while a job is waited for › is no such reader: there is nothing to take yet', async () => {
    const { services } = impatient;
    const { companyId, token } = await createCompany(services);
    const clientId = (await createClient(services, companyId)).id;
    const { id } = await createInvoice(services, companyId, { clientId });
    await impatient.as(token).post(`/api/invoices/${id}/send-email`).expect(202);
  });
});

test('requests that are sent before the response to the first is read › are handled one after the other', async () => {
  const rows = jest.spyOn(api.services.sql, 'rowsWithin');
  const socket = await sendUnread(api.url, large.token, [list, '/api/clients', '/api/expenses']);
  await begun(socket);
  expect(rows).toHaveBeenCalledTimes(1);
  // The last response is the one without records.
  await new Promise<void>((resolve) => {
    let tail = '';
    socket.on('data', (chunk: Buffer) => {
      tail = (tail + chunk.toString('latin1')).slice(-1_000);
      if (tail.includes('{"data":[],')) resolve();
    });
  });
  expect(rows).toHaveBeenCalledTimes(3);
});
