import { createClient, createCompany, createInvoice } from '../../support/factories';
import { startApi, type TestApi } from '../../support/server';

let apis: TestApi[];
beforeAll(async () => {
  const env = { EMAIL_RECIPIENTS_PER_DAY: '5' };
  apis = [await startApi({ env }), await startApi({ env })];
});

async function sendable(): Promise<(body?: object, key?: string) => Promise<{ status: number; body: object }>> {
  const [{ services } = apis[0] as TestApi] = apis;
  const { companyId, token } = await createCompany(services);
  const client = await createClient(services, companyId);
  const { id } = await createInvoice(services, companyId, { clientId: client.id });
  let sent = 0;
  return async (body = {}, key = '') => {
    const caller = (apis[sent++ % 2] as TestApi).as(token);
    const headers = { Prefer: 'respond-async', ...(key !== '' && { 'Idempotency-Key': key }) };
    return caller.post(`/api/invoices/${id}/send-email`).set(headers).send(body);
  };
}

describe('EMAIL_RECIPIENTS_PER_DAY', () => {
  test('each address counts, over all processes › 429 with Retry-After for what goes beyond', async () => {
    const send = await sendable();
    expect(await send()).toMatchObject({ status: 202 });
    expect(await send({ to: ['a@books.example', 'b@books.example'], cc: ['c@books.example'] })).toMatchObject({
      status: 202,
    });
    expect(await send({ cc: ['a@books.example'] })).toMatchObject({
      status: 429,
      body: { code: 'rate_limited', detail: expect.stringContaining('recipients') as string },
      headers: { 'retry-after': expect.stringMatching(/^86\d{3}$/) as string },
    });
    expect(await (await sendable())()).toMatchObject({ status: 202 });
  });

  test('a repeated request under its key › gets its response, and counts nothing', async () => {
    const send = await sendable();
    const to = ['a@books.example', 'b@books.example', 'c@books.example'];
    const first = await send({ to }, 'once');
    for (let times = 0; times < 4; times++) expect(await send({ to }, 'once')).toMatchObject({ status: 202 });
    expect(first.status).toBe(202);
    expect(await send({ to: to.slice(0, 2) })).toMatchObject({ status: 202 });
  });
});
