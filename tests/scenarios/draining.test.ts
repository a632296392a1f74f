import { once } from 'node:events';
import { Agent } from 'node:http';
import { createCompany, createInvoice } from '../support/factories';
import { eventually } from '../support/eventually';
import { send, type PlainAnswer } from '../support/httpClient';
import { installation, openTestServices } from '../support/installation';
import { startApiProcess } from '../support/processes';
import { head, RawConnection } from '../support/rawHttp';
import type { Services } from '../../shared/services';

let services: Services;
let env: Record<string, string>;
let token: string;
let path: string;

beforeAll(async () => {
  services = await openTestServices();
  env = await installation();
  const company = await createCompany(services);
  token = company.token;
  path = `/api/invoices/${(await createInvoice(services, company.companyId)).id}`;
});

// Each test starts a process and lets it stop in its own time.
const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown';

test('SIGTERM under load › every request that was sent gets a response, the last one of a connection with close', async () => {
  for (let round = 0; round < 3; round++) {
    const api = await startApiProcess(env);
    let responded = 0;
    const clients = Array.from({ length: 16 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const outcomes: string[] = [];
      let last: PlainAnswer | undefined;
      // A client goes on, on a new connection when it was told to close, until nothing listens any more.
      while (outcomes.at(-1) !== 'ECONNREFUSED') {
        try {
          last = await send(agent, { method: 'GET', url: api.url + path, token });
          outcomes.push(String(last.status));
          responded += 1;
        } catch (error) {
          outcomes.push(codeOf(error));
          if (codeOf(error) !== 'ECONNREFUSED') break;
        }
      }
      agent.destroy();
      return { outcomes: new Set(outcomes), connection: last?.headers['connection'] };
    });
    await eventually(() => responded > 100);
    expect(await api.end('SIGTERM')).toEqual([0, null]);
    for (const client of await Promise.all(clients)) {
      expect(client).toEqual({ outcomes: new Set(['200', 'ECONNREFUSED']), connection: 'close' });
    }
  }
});

describe('while a request is in progress', () => {
  test('the listener is open, readyz is 503, and every response says close', async () => {
    const api = await startApiProcess({ ...env, JOB_WAIT_MS: '60000', SHUTDOWN_TIMEOUT_MS: '8000' });
    const waiting = await RawConnection.open(api.url);
    await waiting.send(head('POST', `${path}/send-email`, token, { 'Content-Length': 0 }));
    const idle = await RawConnection.open(api.url);
    await idle.send(head('GET', path, token, {}));
    await idle.until(/"id"[^]*\}$/);
    const agent = new Agent({ keepAlive: false });
    const get = (from: string) => send(agent, { method: 'GET', url: api.url + from, token });
    expect((await get('/readyz')).status).toBe(200);
    await eventually(async () => {
      const [row] = await services.sql.rows<{ jobs: number }>('SELECT COUNT(*) AS jobs FROM jobs');
      return (row?.jobs ?? 0) > 0;
    });

    const ended = api.end('SIGTERM');
    await eventually(async () => (await get('/readyz')).status === 503);
    const fresh = await get(path);
    expect([fresh.status, fresh.headers['connection']]).toEqual([200, 'close']);
    // The wait for the job ends in time for its response.
    expect(await waiting.untilClosed()).toMatch(/^HTTP\/1.1 202 [^]*\r\nConnection: close\r\n/i);
    await idle.untilClosed();
    expect(await ended).toEqual([0, null]);
  });

  test('a kept-alive connection that was idle › learns it from its next response', async () => {
    const api = await startApiProcess({ ...env, JOB_WAIT_MS: '60000' });
    const waiting = await RawConnection.open(api.url);
    await waiting.send(head('POST', `${path}/send-email`, token, { 'Content-Length': 0 }));
    const idle = await RawConnection.open(api.url);
    await idle.send(head('GET', path, token, {}));
    await idle.until(/"id"[^]*\}$/);
    idle.received = '';
    api.child.kill('SIGTERM');
    await eventually(() => api.log().includes('shutting down'));
    await idle.send(head('GET', path, token, {}));
    expect(await idle.untilClosed()).toMatch(/^HTTP\/1.1 200 [^]*\r\nConnection: close\r\n/i);
    await api.end('SIGKILL');
  });
});

test('a connection on which nothing happens › is closed by a FIN, not a reset', async () => {
  const api = await startApiProcess(env);
  const idle = await RawConnection.open(api.url);
  await idle.send(head('GET', path, token, {}));
  await idle.until(/"id"[^]*\}$/);
  const failed = jest.fn();
  idle.socket.on('error', failed);
  const closed = once(idle.socket, 'end');
  expect(await api.end('SIGTERM')).toEqual([0, null]);
  await closed;
  expect(failed).not.toHaveBeenCalled();
});
