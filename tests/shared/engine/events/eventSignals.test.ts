import { Type } from '@sinclair/typebox';
import { eventType, recordEvent } from '../../../../shared/engine/events/recordEvent';
import type { NewestEvents } from '../../../../shared/engine/events/EventSignals';
import type { Services } from '../../../../shared/services';
import { eventually } from '../../../support/eventually';
import { createCompany } from '../../../support/factories';
import { openTestServices } from '../../../support/installation';
import { numberAll } from '../../../support/sequencer';

const happened = eventType('test.happened', Type.Object({}), { meaning: 'A test.' });

let services: Services;
let companyId: number;
let recorded = 0;
const numbered: NewestEvents[] = [];

beforeAll(async () => {
  services = await openTestServices();
  ({ companyId } = await createCompany(services));
  const other = await openTestServices();
  other.eventSignals.onRecorded(() => (recorded += 1));
  other.eventSignals.onNumbered((newest) => numbered.push(newest));
  const channels = await eventually(async () => {
    const found = (await services.queues.redis.pubsub('CHANNELS', `${services.config.redisPrefix}*`)) as string[];
    return found.length === 2 ? found : null;
  });
  expect(channels).toHaveLength(2);
  recorded = 0;
});

const record = (fails = false): Promise<void> =>
  services.perform({ companyId, actor: 'test' }, (uow) => {
    recordEvent(uow, happened, 1, {});
    if (fails) throw new Error('rolled back');
  });

test('a commit with events › is reported to other processes; many at the same time in few reports; a rollback is not', async () => {
  await expect(record(true)).rejects.toThrow('rolled back');
  await record();
  await eventually(() => recorded >= 1);
  expect(recorded).toBe(1);
  await Promise.all(Array.from({ length: 40 }, () => record()));
  await eventually(() => recorded >= 2);
  expect(recorded).toBeLessThan(40);
});

test('numbers › are reported with the newest of each company', async () => {
  const { companyId: second } = await createCompany(services);
  await record();
  await numberAll(services);
  const newest = await eventually(() => numbered.find((report) => report.has(companyId) && report.has(second)));
  const rows = await services.sql.rows<{ companyId: number; seq: number }>(
    'SELECT companyId, MAX(seq) AS seq FROM events WHERE companyId IN (?, ?) GROUP BY companyId',
    [companyId, second],
  );
  expect([companyId, second].map((id) => newest.get(id))).toEqual(
    [companyId, second].map((id) => rows.find((row) => row.companyId === id)?.seq),
  );
});
