import { toSqlTime, transactionSql, type Sql } from '../../../shared/engine/db/sql';
import { insertRows } from '../../../shared/engine/db/insert';
import { WebhookEndpoint } from '../../../shared/webhooks/WebhookEndpoint';
import type { QueuedJob } from '../../../shared/engine/jobs/JobQueues';
import { hasWork } from '../../../workers/webhooks/endpointRow';
import { readDue } from '../../../workers/webhooks/readShipments';
import { scanEndpoints } from '../../../workers/webhooks/scanEndpoints';
import { plansOf } from '../../support/plans';
import { closedPort } from './localEndpoint';
import { Webhooks } from './Webhooks';

let webhooks: Webhooks;
let companyId: number;
let nowhere: string;
beforeAll(async () => {
  webhooks = await Webhooks.open();
  companyId = await webhooks.company();
  nowhere = `http://127.0.0.1:${await closedPort()}/`;
});

/** What a scan adds to the queue. */
async function scan(): Promise<QueuedJob[]> {
  const added: QueuedJob[] = [];
  const add = (job: QueuedJob): Promise<void> => Promise.resolve(void added.push(job));
  const queues = { add, isFull: () => false };
  await scanEndpoints({ ...webhooks.services, queues });
  return added;
}

const endpointsOf = (added: readonly QueuedJob[]): number[] =>
  added.map(({ data }) => (data as { endpointId: number }).endpointId);

describe('a scan', () => {
  it('wakes endpoints with a retry that is due, one entry for each time', async () => {
    const endpoint = await webhooks.endpoint(companyId, nowhere);
    await webhooks.events(companyId, [1, 2]);
    await webhooks.serve(endpoint);
    expect(await scan()).toEqual([]);
    webhooks.clock.moveOn(6_000);
    const [entry, ...others] = await scan();
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      queue: 'webhook',
      jobId: expect.stringMatching(new RegExp(`^endpoint-${endpoint.id}-due-\\d+$`)) as string,
      data: { companyId, endpointId: endpoint.id },
    });
    expect(await scan()).toEqual([entry]);
    await endpoint.update({ enabled: false });
    // So that its deliveries are ended.
    expect(endpointsOf(await scan())).toEqual([endpoint.id]);
    await webhooks.serve(endpoint);
    expect(await scan()).toEqual([]);
  });

  it('wakes endpoints that are behind their feed, and none that is being served, disabled or deleted', async () => {
    const left = await webhooks.endpoint(companyId, nowhere);
    const served = await webhooks.endpoint(companyId, nowhere);
    const disabled = await webhooks.endpoint(companyId, nowhere);
    const deleted = await webhooks.endpoint(companyId, nowhere);
    await served.update({ leaseUntil: new Date(webhooks.clock.now().getTime() + 5_000) });
    await disabled.update({ enabled: false });
    await deleted.update({ softDelete: true });
    expect(await scan()).toEqual([]);
    const [eventId = 0] = await webhooks.events(companyId, [1]);
    expect((await scan()).map(({ jobId }) => jobId)).toEqual([`endpoint-${left.id}-event-${eventId}`]);
    // A worker that has died: its lease ends.
    webhooks.clock.moveOn(5_001);
    const found = await scan();
    expect(endpointsOf(found).sort()).toEqual([left.id, served.id].sort());
    // Its entry is still in the queue, and has the name of the newest event.
    const ofDead = expect.stringMatching(new RegExp(`^endpoint-${served.id}-left-\\d+$`)) as string;
    expect(found.map(({ jobId }) => jobId)).toContainEqual(ofDead);
    await left.update({ position: eventId });
    await served.update({ position: eventId });
    expect(await scan()).toEqual([]);
  });

  it('wakes thirty endpoints of a company, those that wait longest, and another company’s beside a thousand', async () => {
    const { services } = webhooks;
    const many = await webhooks.endpoint(await webhooks.company(), nowhere);
    const { id: _id, ...copied } = many.get() as unknown as Record<string, string | number | Date | null>;
    const copies = Array.from({ length: 1_000 }, () => ({ ...copied, types: JSON.stringify(copied['types']) }));
    await insertRows(services.sql, 'webhook_endpoints', copies);
    const one = await webhooks.endpoint(companyId, nowhere);
    for (const { companyId } of [many, one]) await webhooks.events(companyId, [1]);
    /** The woken ones of the company with many. The other company's is woken, too. */
    const woken = async (): Promise<number[]> => {
      const ids = endpointsOf(await scan());
      expect(ids).toContain(one.id);
      return ids.filter((id) => id >= many.id && id !== one.id);
    };
    expect(await woken()).toHaveLength(30);
    const at = (ms: number): Date => new Date(webhooks.clock.now().getTime() + ms);
    await services.sql.run(
      `INSERT INTO webhook_deliveries (companyId, endpointId, eventId, type, isReplay, status, attempts, nextAttemptAt, createdAt)
        SELECT companyId, id, 1, 'client.updated', 0, 'pending', 1, IF(id = ?, ?, ?), ? FROM webhook_endpoints WHERE id >= ?`,
      [one.id, toSqlTime(at(-1)), toSqlTime(at(-9)), toSqlTime(at(-9)), many.id],
    );
    await services.sql.run('UPDATE webhook_endpoints SET position = 1e16 WHERE id >= ?', [many.id]);
    const before = await woken();
    expect(before).toHaveLength(30);
    // Their requests have failed once more. The next scan wakes others.
    await services.sql.run(
      `UPDATE webhook_deliveries SET nextAttemptAt = ? WHERE endpointId IN (${before.map(() => '?').join(', ')})`,
      [toSqlTime(at(-2)), ...before],
    );
    const after = await woken();
    expect(new Set([...before, ...after]).size).toBe(60);
    await services.sql.run('DELETE FROM webhook_deliveries WHERE endpointId >= ?', [many.id]);
    await services.sql.run('UPDATE webhook_endpoints SET softDelete = 1, watched = 0 WHERE id >= ?', [many.id]);
  });

  it('costs nothing for ended deliveries, and one look-up for each endpoint with pending ones', async () => {
    const { services } = webhooks;
    const { sql, clock } = services;
    const endpoints = await Promise.all([1, 2, 3].map(() => webhooks.endpoint(companyId, nowhere)));
    const now = clock.now();
    const row = (endpointId: number, status: string): Record<string, string | number | Date | null> => ({
      ...{ companyId, endpointId, eventId: 1, type: 'invoice.paid', status, createdAt: now },
      nextAttemptAt: status === 'pending' ? new Date(now.getTime() + 3_600_000) : null,
      endedAt: status === 'pending' ? null : now,
    });
    for (const { id } of endpoints) {
      for (const status of ['pending', 'delivered', 'failed']) {
        await insertRows(
          sql,
          'webhook_deliveries',
          Array.from({ length: 1_000 }, () => row(id, status)),
        );
      }
    }
    await sql.run('ANALYZE TABLE webhook_deliveries');
    const all = await WebhookEndpoint.count();
    // One connection, so that it is the same session whose reads are counted.
    await services.sequelize.transaction(async (transaction) => {
      const session = transactionSql(transaction);
      const before = await readsOf(session);
      const queues = { add: () => Promise.resolve(), isFull: () => false };
      await scanEndpoints({ ...services, queues, sql: session });
      // Four for each endpoint: its row, twice, and one entry of each of the two indexes; some more for the sorted result.
      expect((await readsOf(session)) - before).toBeLessThan(10 * all + 50);
    });
    const [endpoint] = endpoints;
    if (endpoint === undefined) throw new Error('no endpoint');
    const [[one] = []] = await plansOf(sql, (watched) => readDue(watched, endpoint, now, 100));
    expect(one).toMatchObject({ key: 'webhook_deliveries_pending', type: 'range' });
    expect(Number(one?.rows)).toBeLessThan(10);
    const [steps = []] = await plansOf(sql, (watched) => hasWork(watched, endpoint, now));
    for (const { rows } of steps) expect(Number(rows ?? 0)).toBeLessThan(10);
  });
});

/** How many rows and entries of indexes a session has read. */
async function readsOf(sql: Sql): Promise<number> {
  const rows = await sql.rows<{ Value: string }>("SHOW SESSION STATUS LIKE 'Handler_read%'");
  return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
}
