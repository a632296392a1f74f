import { Type } from '@sinclair/typebox';
import { readFeed } from '../../../shared/engine/events/feed';
import { eventType, recordEvent } from '../../../shared/engine/events/recordEvent';
import type { Services } from '../../../shared/services';
import { startSequencer } from '../../support/sequencer';
import { eventually } from '../../support/eventually';
import { createCompany } from '../../support/factories';
import { openTestServices } from '../../support/installation';

const happened = eventType('test.happened', Type.Object({}), { meaning: 'A test.' });

let writers: Services[];
let companyId: number;

beforeAll(async () => {
  writers = [await openTestServices(), await openTestServices()];
  ({ companyId } = await createCompany(writers[0] as Services));
});

const record = (services: Services, id: number): Promise<void> =>
  services.perform({ companyId, actor: 'test' }, (uow) => recordEvent(uow, happened, id, {}));

/** Follows the feed until it has read `count` events. */
async function follow(services: Services, count: number): Promise<{ id: number; subjectId: number }[]> {
  const read: { id: number; subjectId: number }[] = [];
  let after = 0;
  await eventually(async () => {
    const page = await readFeed(services.sql, companyId, { after, limit: 7, types: ['test.happened'] });
    read.push(...page.events);
    after = page.nextAfter;
    return read.length >= count;
  });
  return read;
}

test('several sequencers, writers that commit at the same time and a reader that follows › each event once, in order', async () => {
  for (const services of [...writers, await openTestServices()]) startSequencer(services);
  const [first, second] = writers as [Services, Services];
  const reading = follow(first, 400);
  for (let n = 0; n < 400; n += 20) {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => record(index % 2 === 0 ? first : second, n + index + 1)),
    );
  }
  const read = await reading;
  expect(read.map(({ id }) => id)).toEqual([...new Set(read.map(({ id }) => id))].sort((a, b) => a - b));
  expect(read.map(({ subjectId }) => subjectId).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 400 }, (_, n) => n + 1),
  );
});

test('a report that was lost › the event gets its number all the same', async () => {
  const services = await openTestServices();
  services.eventSignals.close();
  const { companyId: other } = await createCompany(services);
  const page = await eventually(async () => {
    const found = await readFeed(services.sql, other, { after: 0, limit: 10 });
    return found.events.length > 0 ? found : null;
  });
  expect(page.events.map(({ type }) => type)).toContain('company.created');
});
