import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { Arrivals } from '../../../../api/http/connections/Arrivals';
import { createCompany } from '../../../support/factories';
import { startApi } from '../../../support/server';

test('the requests of a network › count together until one of them has a valid key, then by their keys', async () => {
  const api = await startApi();
  const { token } = await createCompany(api.services);
  const begin = jest.spyOn(Arrivals.prototype, 'begin');
  const agent = new Agent({ keepAlive: true });
  const send = async (key: string): Promise<void> => {
    const headers = { authorization: `Bearer ${key}` };
    const [response] = (await once(get(`${api.url}/api/company`, { agent, headers }), 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
  };
  for (const key of ['invalid', 'also invalid', token, token]) await send(key);
  agent.destroy();
  const network = '127.0.0.1';
  expect(begin.mock.calls.map(([caller]) => caller)).toEqual([network, network, network, `Bearer ${token}`]);
});
