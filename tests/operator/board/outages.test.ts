import { eventually } from '../../support/eventually';
import { createCompany } from '../../support/factories';
import { installation } from '../../support/installation';
import { startOperator, type TestOperator } from '../../support/operator';
import { startTcpProxy, type TcpProxy } from '../../support/tcpProxy';
import { recordJobIn } from './recordedJobs';

let mysql: TcpProxy;
let redis: TcpProxy;
let operator: TestOperator;

beforeAll(async () => {
  const { DATABASE_URL = '', REDIS_URL = '' } = await installation();
  [mysql, redis] = await Promise.all([startTcpProxy(DATABASE_URL), startTcpProxy(REDIS_URL)]);
  operator = await startOperator({ env: { DATABASE_URL: mysql.url, REDIS_URL: redis.url } });
  await eventually(() => operator.services.queues.isConnected);
});
afterEach(() => {
  mysql.restore();
  redis.restore();
});

test('Redis is gone › recorded jobs are shown, and what Redis knows is said to be unknown', async () => {
  const { companyId } = await createCompany(operator.services);
  const id = await recordJobIn(operator.services, { companyId, status: 'failed' });
  redis.cut();
  const unknown = 'Redis cannot be reached: what waits here is unknown.';
  const queues = await eventually(async () => {
    const response = await operator.get('/board/api/queues?activeQueue=email&status=failed&page=1&jobsPerPage=10');
    const shown = (await response.json()) as {
      queues: { name: string; description: string; jobs: { id: number }[] }[];
    };
    return shown.queues.some(({ description }) => description === unknown) && shown.queues;
  });
  expect(queues.filter(({ description }) => description === unknown).map(({ name }) => name)).toEqual([
    'pdf',
    'webhook',
    'schedule',
  ]);
  expect(queues[0]?.jobs.map((job) => job.id)).toEqual([id]);
  const response = await operator.get('/board/api/queues?activeQueue=pdf&status=latest&page=1&jobsPerPage=10');
  expect([response.status, await response.json()]).toEqual([
    503,
    { error: { key: 'ERRORS.INTERNAL_SERVER_ERROR' }, message: 'Redis cannot be reached at the moment' },
  ]);
  redis.restore();
  await eventually(() => operator.services.queues.isConnected);
});

test('MySQL is gone › the board says so, without an address or a statement', async () => {
  mysql.cut();
  const response = await operator.get('/board/api/queues');
  expect([response.status, await response.json()]).toEqual([
    503,
    { error: { key: 'ERRORS.INTERNAL_SERVER_ERROR' }, message: 'the database cannot be reached at the moment' },
  ]);
});
