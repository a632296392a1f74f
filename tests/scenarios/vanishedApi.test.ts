import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection, type Connection } from 'mysql2/promise';
import supertest from 'supertest';
import { createClient, createCompany, createInvoice, invoiceInput } from '../support/factories';
import { eventually } from '../support/eventually';
import { installation } from '../support/installation';
import { startApiProcess } from '../support/processes';
import { startApi, type Caller, type TestApi } from '../support/server';
import { startTcpProxy } from '../support/tcpProxy';

/** The vanishing process runs five of its creates at the same time. One of them may be between two attempts. */
const CREATES = 16;
const WAITING = 4;

let api: TestApi;
let server: Connection;
let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = (await installation())['DATABASE_URL'] ?? '';
  api = await startApi();
  server = await createConnection(databaseUrl);
});
afterAll(() => server.end());

interface Company {
  companyId: number;
  token: string;
  clientId: number;
  as: Caller;
}

async function company(): Promise<Company> {
  const { companyId, token } = await createCompany(api.services);
  const clientId = (await createClient(api.services, companyId)).id;
  await createInvoice(api.services, companyId, { clientId });
  return { companyId, token, clientId, as: api.as(token) };
}

const create = ({ as, clientId }: Company) => as.post('/api/invoices').send(invoiceInput(clientId));

/** Most creates wait for the lock of the number. The others wait for a lock of one of these. */
async function statementsThatWait(): Promise<number> {
  const [rows] = await server.query(
    "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE 'UPDATE %'",
  );
  return (rows as object[]).length;
}

/** Locks of a process that is gone and whose connections MySQL still believes in, as behind a firewall that drops packets. */
async function vanishWithLocks({ companyId, token, clientId }: Company): Promise<void> {
  const proxy = await startTcpProxy(databaseUrl);
  const environment = { ...(await installation()), DATABASE_URL: proxy.url, XENDIT_CALLBACK_TOKEN: 'x' };
  const vanishing = await startApiProcess(environment);
  await server.query('START TRANSACTION');
  await server.query('SELECT * FROM number_sequences WHERE companyId = ? FOR UPDATE', [companyId]);
  // Of creates that end too early. The others lose their connection, as they should.
  const responses: string[] = [];
  const creates = Array.from({ length: CREATES }, () =>
    supertest(vanishing.url).post('/api/invoices').auth(token, { type: 'bearer' }).send(invoiceInput(clientId)),
  ).map((request) => request.then(({ text }) => void responses.push(text)).catch(() => undefined));
  try {
    await eventually(async () => {
      expect(responses).toEqual([]);
      return (await statementsThatWait()) >= WAITING;
    });
    proxy.vanish();
    await vanishing.end('SIGKILL');
    await Promise.all(creates);
  } finally {
    // Now one of the vanished transactions gets the lock, and keeps it: its process is gone.
    await server.query('ROLLBACK');
  }
}

test('an API process that vanishes in the middle of its creates › blocks only their company, for less than 30 seconds', async () => {
  const [blocked, other] = [await company(), await company()];
  await vanishWithLocks(blocked);

  let isFree = false;
  const others: number[] = [];
  const goOn = (async () => {
    for (; !isFree; await sleep(50)) others.push((await create(other)).status);
  })();
  // Many at a time: they must not take every connection of the pool.
  const statuses: number[] = [];
  await eventually(async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => create(blocked)));
    for (const { status, headers } of responses) {
      statuses.push(status);
      if (status === 503) expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
    }
    return responses.every(({ status }) => status === 201);
  }).finally(() => (isFree = true));
  await goOn;
  expect(statuses).toContain(503);
  expect(new Set(statuses)).toEqual(new Set([201, 503]));
  expect(new Set(others)).toEqual(new Set([201]));
});
