import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, createCompany, createInvoice } from '../support/factories';
import { send } from '../support/httpClient';
import { installation, openTestServices } from '../support/installation';
import { startApiProcess } from '../support/processes';

const REQUESTS = 1_500;
const INVOICES = 20;
const agent = new Agent({ maxSockets: Infinity });
afterAll(() => agent.destroy());

test('1,500 send-emails at the same time and no worker › all are accepted, and other companies are served', async () => {
  const services = await openTestServices();
  const { companyId, token } = await createCompany(services);
  const { id: clientId } = await createClient(services, companyId);
  const invoiceIds: number[] = [];
  for (let n = 0; n < INVOICES; n++) invoiceIds.push((await createInvoice(services, companyId, { clientId })).id);
  const other = await createCompany(services);
  const { id: otherInvoiceId } = await createInvoice(services, other.companyId);
  // A slow machine takes its time to record them all.
  const { url } = await startApiProcess({ ...(await installation()), JOB_WAIT_MS: '2000', MAX_LINE_WAIT_MS: '240000' });

  /** What a slow machine refuses for now (503), or has not read in time (408), is sent again. */
  const sendUntilTaken = async (request: Parameters<typeof send>[1]): ReturnType<typeof send> => {
    for (;;) {
      const response = await send(agent, request);
      if (![408, 503].includes(response.status)) return response;
    }
  };
  let responded = 0;
  const all = Array.from({ length: REQUESTS }, async (_, n) => {
    const path = `/api/invoices/${invoiceIds[n % INVOICES] ?? 0}/send-email`;
    const response = await sendUntilTaken({ method: 'POST', url: url + path, token });
    responded += 1;
    return response;
  });
  const others = new Set<number>();
  while (responded < REQUESTS) {
    const path = `/api/invoices/${otherInvoiceId}`;
    others.add((await sendUntilTaken({ method: 'GET', url: url + path, token: other.token })).status);
    await sleep(50);
  }
  const responses = await Promise.all(all);
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
  expect(new Set(responses.map(({ headers }) => headers['location'])).size).toBe(REQUESTS);
  expect(others).toEqual(new Set([200]));
});
