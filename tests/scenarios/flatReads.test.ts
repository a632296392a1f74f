import { rowsExamined } from '../../bench/scale/measureScale';
import { scaleReads } from '../../bench/scale/scaleReads';
import { seedScale, type Scale } from '../../bench/scale/seedScale';
import type { Services } from '../../shared/services';
import { listDeliveries } from '../../shared/webhooks';
import type { Page } from '../../shared/engine/records';
import { openTestServices } from '../support/installation';

/** Far more rows than any of the reads returns, and fewer than a scan or a sort of them reads. */
const COUNT = 16_000;
const AT_MOST = 250;

let services: Services;
let scale: Scale;

beforeAll(async () => {
  // One connection, whose reads are counted.
  services = await openTestServices({ env: { DATABASE_POOL_SIZE: '1' } });
  scale = await seedScale(services, { count: COUNT, others: 2, report: () => undefined });
});

test.each(scaleReads.filter(({ atMost }) => atMost !== null && atMost <= 3_000))(
  '$what › reads what it returns, and neither scans nor sorts all records',
  async ({ atMost, read }) => {
    const { rows } = await rowsExamined(services.sql, (sql) => read(sql, scale));
    expect(rows).toBeLessThanOrEqual(Math.min(atMost ?? 0, AT_MOST));
  },
);

test('the deliveries of an endpoint › are counted up to 10,000, and the total says that it is capped', async () => {
  const { companyId, endpointId } = scale;
  const total = async (): Promise<object> => {
    const query = { limit: 100, sortBy: 'id', sortOrder: 'desc', status: 'all' } as const;
    const { total, totalPages, totalIsCapped } = (await listDeliveries(
      services.sql,
      companyId,
      endpointId,
      query,
    )) as Page<object>;
    return { total, totalPages, totalIsCapped };
  };
  const copies = (
    count: number,
  ): string => `INSERT INTO webhook_deliveries (companyId, endpointId, eventId, type, isReplay, status, attempts, createdAt, endedAt)
    SELECT companyId, endpointId, eventId, type, isReplay, status, attempts, createdAt, endedAt FROM webhook_deliveries
      WHERE companyId = ? AND endpointId = ? LIMIT ${count}`;
  expect(await total()).toEqual({ total: 8_000, totalPages: 80, totalIsCapped: false });
  await services.sql.run(copies(2_000), [companyId, endpointId]);
  expect(await total()).toEqual({ total: 10_000, totalPages: 100, totalIsCapped: false });
  await services.sql.run(copies(1), [companyId, endpointId]);
  expect(await total()).toEqual({ total: 10_000, totalPages: 100, totalIsCapped: true });
  const capped = await rowsExamined(services.sql, total);
  expect(capped.rows).toBeLessThanOrEqual(20_500);
});
