import { REQUEST_MS, UNMETERED_MS } from '../../../../api/http/limits/Limits';
import { Pace } from '../../../../api/http/limits/Pace';
import { SHARED_FLOWS } from '../../../../api/http/routing/inTurn';
import { FairQueue, WorkMeter } from '../../../../shared/engine/fair';
import { createCompany } from '../../../support/factories';
import { startApi, type TestApi } from '../../../support/server';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});

test('a request that is refused in its turn › its company is charged for what no meter sees', async () => {
  const { companyId, token } = await createCompany(api.services);
  const charged = jest.spyOn(FairQueue.prototype, 'chargeFor');
  await api.as(token).get('/api/invoices').expect(200);
  expect(charged).not.toHaveBeenCalled();
  await api.as(token).get('/api/invoices/999999').expect(404);
  expect(charged).toHaveBeenCalledWith(companyId, UNMETERED_MS);
});

test.each([
  ['/openapi.json', 200],
  ['/', 404],
  ['/nothing', 404],
  ['/api/invoices', 401],
])('%s without a key › %i in one turn of its network', async (path, status) => {
  const end = jest.spyOn(FairQueue.prototype, 'end');
  await api.as().get(path).expect(status);
  const charges = end.mock.calls.map(([{ key }, tookMs]) => ({ key, isCharged: tookMs >= UNMETERED_MS }));
  expect(charges).toEqual([{ key: '127.0.0.1', isCharged: true }]);
});

test('a probe needs no turn', async () => {
  const end = jest.spyOn(FairQueue.prototype, 'end');
  await api.as().get('/healthz').expect(200);
  await api.as().get('/readyz').expect(200);
  expect(end).not.toHaveBeenCalled();
});

test('a probe of a network that sends too many of them › takes a turn of its network', async () => {
  jest.spyOn(Pace.prototype, 'admit').mockReturnValue(1);
  const end = jest.spyOn(FairQueue.prototype, 'end');
  await api.as().get('/healthz').expect(200);
  await api.as().get('/readyz').expect(200);
  expect(end.mock.calls.map(([{ key }]) => key)).toEqual(['127.0.0.1', '127.0.0.1']);
});

test('a probe while all networks together send too many of them › takes a turn of all these probes, which counts what it costs', async () => {
  jest.spyOn(Pace.prototype, 'admit').mockImplementation((flow) => (flow === '127.0.0.1' ? 0 : 1));
  const end = jest.spyOn(FairQueue.prototype, 'end');
  const add = jest.spyOn(WorkMeter.prototype, 'add');
  await Promise.all(['/healthz', '/readyz'].map((path) => api.as().get(path).expect(200)));
  expect(end.mock.calls.map(([{ key }]) => key)).toEqual([SHARED_FLOWS.probes, SHARED_FLOWS.probes]);
  expect(add.mock.calls).toEqual([[REQUEST_MS], [REQUEST_MS]]);
});
