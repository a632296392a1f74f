import { createClient, createCompany, invoiceInput } from '../../support/factories';
import { pdf } from '../../support/images';
import { head, RawConnection } from '../../support/rawHttp';
import { startApi, type Caller, type TestApi } from '../../support/server';

const MIB = 1024 * 1024;
let api: TestApi;

beforeAll(async () => {
  api = await startApi({ env: { MAX_RATE_MB: '1' } });
});

async function company(): Promise<{ caller: Caller; token: string; clientId: number }> {
  const { companyId, token } = await createCompany(api.services);
  return { caller: api.as(token), token, clientId: (await createClient(api.services, companyId)).id };
}

/** Fills the body up to almost 1 MiB with what JSON ignores. */
const padded = (body: object): string => JSON.stringify(body).padEnd(MIB - 100, ' ');

test('bodies of a company beyond its pace › arrive later, whole; other companies notice nothing', async () => {
  const [fast, other] = [await company(), await company()];
  let done = 0;
  const flood = Array.from({ length: 5 }, async () => {
    const { status } = await fast.caller
      .post('/api/invoices')
      .type('json')
      .send(padded(invoiceInput(fast.clientId)));
    done += 1;
    return status;
  });
  for (let n = 0; n < 5; n++) await other.caller.post('/api/invoices').send(invoiceInput(other.clientId)).expect(201);
  // Two of the five are the burst; the last one needs three seconds more.
  expect(done).toBeLessThan(5);
  expect(await Promise.all(flood)).toEqual([201, 201, 201, 201, 201]);
});

test('uploads of a company beyond its pace › are stored whole', async () => {
  const { caller } = await company();
  const files = [pdf('a'.repeat(2 * MIB)), pdf('b'.repeat(MIB))];
  const stored = files.map(async (file) => {
    const { body } = await caller.post('/api/receipts').attach('file', file, 'receipt.pdf').expect(201);
    const { id } = body as { id: number };
    const shown = await caller.get(`/api/receipts/${id}`).buffer(true).responseType('blob').expect(200);
    return shown.body as Buffer;
  });
  for (const [index, bytes] of (await Promise.all(stored)).entries())
    expect(bytes.equals(files[index] ?? bytes)).toBe(true);
});

test('what is dropped of a refused upload › comes at the pace of its company too', async () => {
  const [pouring, other] = [await company(), await company()];
  const connection = await RawConnection.open(api.url);
  const headers = { 'Content-Type': 'multipart/form-data; boundary=x', 'Content-Length': 1_000 * MIB };
  await connection.send(head('POST', '/api/receipts', pouring.token, headers));
  let isTaken = false;
  const sent = connection.send(Buffer.alloc(64 * MIB)).then(() => (isTaken = true));
  // The last of four waits two seconds for the pace of its own company.
  const body = padded(invoiceInput(other.clientId));
  const bodies = Array.from({ length: 4 }, () =>
    other.caller.post('/api/invoices').type('json').send(body).expect(201),
  );
  await Promise.all(bodies);
  expect(isTaken).toBe(false);
  connection.socket.destroy();
  await sent;
});
