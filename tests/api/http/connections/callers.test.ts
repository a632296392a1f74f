import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Arrivals } from '../../../../api/http/connections/Arrivals';
import { ApiKey } from '../../../../shared/models';
import { createCompany } from '../../../support/factories';
import { startApi } from '../../../support/server';

test('a request › counts for the company of its key once that was valid, however it is written, else with all others of its network', async () => {
  let time = Date.now();
  const api = await startApi({ clock: { now: () => new Date(time) } });
  const { companyId, token } = await createCompany(api.services);
  const begin = jest.spyOn(Arrivals.prototype, 'begin');
  const agent = new Agent({ keepAlive: true });
  const send = async (authorization: string): Promise<void> => {
    const headers = { authorization };
    const [response] = (await once(get(`${api.url}/api/company`, { agent, headers }), 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
  };
  const [valid, invalid] = [`Bearer ${token}`, 'Bearer invalid'];
  const others = [`bearer ${token}`, `Bearer  ${token}`];
  for (const header of [invalid, valid, ...others, ...others, valid, invalid]) await send(header);
  await ApiKey.update({ revokedAt: new Date() }, { where: { companyId } });
  time += 5_000;
  for (const header of [valid, valid]) await send(header);
  agent.destroy();
  const network = '127.0.0.1';
  expect(begin.mock.calls.map(([caller]) => caller)).toEqual([
    network,
    network,
    ...[...others, ...others].map(() => companyId),
    companyId,
    network,
    companyId,
    network,
  ]);
});

test('a client that connects after hundreds of others › is served before most of their requests', async () => {
  const api = await startApi();
  const { hostname, port } = new URL(api.url);
  const served: string[] = [];
  jest.spyOn(Arrivals.prototype, 'begin').mockImplementation((caller, work) => {
    served.push(String(caller));
    work();
  });
  const send = (localAddress: string): Promise<unknown> => {
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    socket.resume().write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    return once(socket, 'close');
  };
  // All are connected before the API, in the same process, accepts one.
  const others = Array.from({ length: 400 }, () => send('127.0.0.1'));
  await Promise.all([...others, send('127.0.0.2')]);
  expect(served).toHaveLength(401);
  expect(served.indexOf('127.0.0.2')).toBeLessThan(200);
});
