import { Type } from '@sinclair/typebox';
import numberOldEvents from '../../../../shared/engine/migrations/steps/20261122090100-number-old-events';
import { readFeed } from '../../../../shared/engine/events/feed';
import { eventType, recordEvent } from '../../../../shared/engine/events/recordEvent';
import { createCompany } from '../../../support/factories';
import { openTestServices } from '../../../support/installation';
import { numberAll } from '../../../support/sequencer';

const happened = eventType('test.happened', Type.Object({}), { meaning: 'A test.' });

test('events from before › come in the order of their ids, before all new ones, also if it is interrupted and repeated', async () => {
  const services = await openTestServices();
  const { companyId } = await createCompany(services);
  const record = (from: number, count: number): Promise<void> =>
    services.perform({ companyId, actor: 'test' }, (uow) => {
      for (let n = 0; n < count; n++) recordEvent(uow, happened, from + n, {});
    });
  await record(1, 4_500);
  // As after a crash in the first batch.
  await services.sql.run("UPDATE events SET seq = id WHERE type = 'test.happened' AND subjectId < 100");
  await numberOldEvents.up(services.sequelize);
  await numberOldEvents.up(services.sequelize);
  await record(4_501, 1);
  await numberAll(services);
  const subjects: number[] = [];
  for (let after = 0, hasMore = true; hasMore;) {
    const page = await readFeed(services.sql, companyId, { after, limit: 1_000, types: ['test.happened'] });
    subjects.push(...page.events.map(({ subjectId }) => subjectId));
    ({ nextAfter: after, hasMore } = page);
  }
  expect(subjects).toEqual(Array.from({ length: 4_501 }, (_, n) => n + 1));
});
