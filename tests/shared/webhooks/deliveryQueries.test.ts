import { deliveryQuery, getDelivery, listDeliveries, type DeliveryQuery } from '../../../shared/webhooks/deliveries';
import type { Services } from '../../../shared/services';
import type { Sql } from '../../../shared/engine/db/sql';
import { createCompany } from '../../support/factories';
import { openTestServices } from '../../support/installation';
import { plansOf, type Step } from '../../support/plans';
import { createEndpoint, storeDelivery } from '../../support/webhooks';

/** Enough deliveries that scanning or sorting them all would be the wrong plan; of two companies with two endpoints each. */
const COUNT = 32_000;

let services: Services;
let companyId: number;
let endpointId: number;
let deliveryId: number;

beforeAll(async () => {
  services = await openTestServices();
  for (let company = 0; company < 2; company += 1) {
    ({ companyId } = await createCompany(services));
    for (let endpoint = 0; endpoint < 2; endpoint += 1) {
      endpointId = (await createEndpoint(services, companyId)).id;
      deliveryId = (await storeDelivery(services, { companyId, endpointId }, { responseBody: 'x'.repeat(200) })).id;
    }
  }
  const columns = 'companyId, endpointId, eventId, type, responseBody';
  for (let made = 4; made < COUNT; made *= 2) {
    await services.sql.run(
      `INSERT INTO webhook_deliveries (${columns}, status, nextAttemptAt, createdAt, endedAt)
        SELECT ${columns}, IFNULL(ELT(id MOD 100 + 1, 'pending', 'failed'), 'delivered'), IF(id MOD 100 = 0, createdAt, NULL), createdAt,
          IF(id MOD 100 = 0, NULL, createdAt + INTERVAL id SECOND) FROM webhook_deliveries`,
    );
  }
  await services.sql.rows('ANALYZE TABLE webhook_deliveries');
});

const request: DeliveryQuery = { page: 1, limit: 10, sortBy: 'id', sortOrder: 'desc', status: 'all' };
const plans = (use: (sql: Sql) => Promise<unknown>): Promise<Step[][]> => plansOf(services.sql, use);
/** The steps that read deliveries, but not the page's few rows, which are read by the primary key. */
const walked = (steps: Step[]): Step[] => steps.filter(({ table, type }) => table === 'd' && type !== 'eq_ref');

describe('the plans of the reads of deliveries', () => {
  test('one delivery › is found by the primary key', async () => {
    const [, steps = []] = await plans((sql) => getDelivery(sql, companyId, endpointId, deliveryId));
    expect(steps.map(({ key, type }) => [key, type])).toEqual([['PRIMARY', 'const']]);
  });

  test.each([
    ['all', 'desc', 'webhook_deliveries_by_endpoint'],
    ['all', 'asc', 'webhook_deliveries_by_endpoint'],
    ['pending', 'desc', 'webhook_deliveries_by_status'],
    ['failed', 'desc', 'webhook_deliveries_by_status'],
    ['delivered', 'desc', 'webhook_deliveries_by_status'],
  ] as const)('the list of %s, %s › walks %s in order, and counts on it alone', async (status, sortOrder, index) => {
    const [, steps = []] = await plans((sql) =>
      listDeliveries(sql, companyId, endpointId, { ...request, status, sortOrder }),
    );
    const found = walked(steps);
    expect(found.map(({ key }) => key)).toEqual([index, index]);
    for (const { Extra } of found) {
      expect(Extra).toContain('Using index');
      expect(Extra).not.toContain('filesort');
    }
  });

  test('the clean-up › finds what ended by its index', async () => {
    const [step] = await services.sql.rows<Step>(
      'EXPLAIN FORMAT=TRADITIONAL DELETE FROM webhook_deliveries WHERE endedAt < ? LIMIT 1000',
      ['2020-01-01'],
    );
    expect(step).toMatchObject({ key: 'webhook_deliveries_ended', type: 'range' });
  });

  test('disabling an endpoint › finds its pending deliveries by an index', async () => {
    const [step] = await services.sql.rows<Step>(
      "EXPLAIN FORMAT=TRADITIONAL UPDATE webhook_deliveries SET status = 'failed' WHERE companyId = ? AND endpointId = ? AND status = 'pending' LIMIT 1000",
      [companyId, endpointId],
    );
    expect(step?.key).toBe('webhook_deliveries_by_status');
  });
});

test('the query of the list › sorts by id, the newest first, and filters nothing unless asked', () => {
  expect(deliveryQuery).toMatchObject({
    properties: { sortBy: { default: 'id' }, sortOrder: { default: 'desc' }, status: { default: 'all' } },
  });
});
