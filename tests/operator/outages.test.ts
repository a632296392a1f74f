import { isDeepStrictEqual } from 'node:util';
import { type QueueName, queueNames, queues } from '../../config/queues';
import { QueueSignals } from '../../shared/engine/jobs/QueueSignals';
import { queueCounters } from '../../shared/queueCounters';
import { eventually } from '../support/eventually';
import { installation } from '../support/installation';
import { startOperator, type TestOperator } from '../support/operator';
import { startTcpProxy, type TcpProxy } from '../support/tcpProxy';

let mysql: TcpProxy;
let redis: TcpProxy;
let operator: TestOperator;

beforeAll(async () => {
  const { DATABASE_URL = '', REDIS_URL = '' } = await installation();
  mysql = await startTcpProxy(DATABASE_URL);
  redis = await startTcpProxy(REDIS_URL);
  operator = await startOperator({ env: { DATABASE_URL: mysql.url, REDIS_URL: redis.url } });
  await eventually(() => operator.services.queues.isConnected);
});
afterEach(() => {
  mysql.restore();
  redis.restore();
});

const known = { waiting: 0, scheduled: 0, running: 0, failed: 0, uncertain: 0, oldestSeconds: 0 };
const unknown = { waiting: null, scheduled: null, running: null, failed: null, uncertain: null, oldestSeconds: null };

async function expectSignals(ofRows: object, ofEntries: object, paused: boolean | null): Promise<void> {
  // What a webhook endpoint is owed stands in MySQL.
  const isOfEntries = (name: QueueName): boolean => !queues[name].hasRows && name !== 'webhook';
  const expected = queueNames.map((name) => ({ name, ...(isOfEntries(name) ? ofEntries : ofRows), paused }));
  // A read that took too long on a busy machine says that the server is unreachable.
  await eventually(async () => {
    const signals = await new QueueSignals(operator.services, queueCounters).read();
    return isDeepStrictEqual(signals.queues, expected);
  });
}

test('Redis is gone › what MySQL knows is there', async () => {
  await expectSignals(known, known, false);
  redis.cut();
  await eventually(() => !operator.services.queues.isConnected);
  await expectSignals(known, unknown, false);
  redis.restore();
  await eventually(() => operator.services.queues.isConnected);
});

test('MySQL is gone › what Redis knows is there', async () => {
  mysql.cut();
  await expectSignals(unknown, known, null);
});

test('both are frozen › every page responds, says so, and has what the process knows', async () => {
  mysql.freeze();
  redis.freeze();
  const samples = await eventually(async () => {
    const now = await operator.samples();
    const up = ['mysql', 'redis'].map((service) => now.get(`invoicing_up{service="${service}"}`));
    return up.every((value) => value === 0) ? now : null;
  });
  expect([...samples.keys()].join('\n')).not.toMatch(/invoicing_(?:queue|outbox)/);
  expect(samples.has('invoicing_database_pool{state="used"}')).toBe(true);
  expect(samples.has('process_start_time_seconds')).toBe(true);
  const response = await operator.get('/queues');
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({
    queues: [{ name: 'email', waiting: null, oldest_seconds: null }, {}, {}, {}, {}, {}],
  });
});
