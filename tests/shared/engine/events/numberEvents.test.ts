import { Type } from '@sinclair/typebox';
import type { UnitOfWork } from '../../../../shared/engine/db/unitOfWork';
import { readFeed, type FeedEvent } from '../../../../shared/engine/events/feed';
import { numberEvents } from '../../../../shared/engine/events/numberEvents';
import { moveSequence } from '../../../../shared/engine/events/sequence';
import { eventType, recordEvent } from '../../../../shared/engine/events/recordEvent';
import type { Services } from '../../../../shared/services';
import { MovableClock } from '../../../support/clock';
import { numberAll } from '../../../support/sequencer';
import { createCompany } from '../../../support/factories';
import { openTestServices } from '../../../support/installation';
import { plansOf } from '../../../support/plans';

const happened = eventType('test.happened', Type.Object({ n: Type.Integer() }), { meaning: 'A test.' });

let services: Services;
let clock: MovableClock;
let companyId: number;

beforeAll(async () => {
  clock = new MovableClock();
  services = await openTestServices({ clock });
});

beforeEach(async () => {
  ({ companyId } = await createCompany(services));
  await numberAll(services);
});

const record = (n: number, company = companyId): Promise<void> =>
  services.perform({ companyId: company, actor: 'test' }, (uow) => recordEvent(uow, happened, n, { n }));

async function feed(company = companyId): Promise<FeedEvent[]> {
  const { events } = await readFeed(services.sql, company, { after: 0, limit: 1_000, types: ['test.happened'] });
  return events;
}

const subjects = async (company = companyId): Promise<number[]> =>
  (await feed(company)).map(({ subjectId }) => subjectId);

/** Begins a transaction that has recorded its event, and returns the function that commits it. */
async function recordOpen(n: number): Promise<() => Promise<void>> {
  let commit: () => void = () => undefined;
  const wait = new Promise<void>((resolve) => (commit = resolve));
  let recorded: () => void = () => undefined;
  const isRecorded = new Promise<void>((resolve) => (recorded = resolve));
  const transaction = services.perform({ companyId, actor: 'test' }, async (uow: UnitOfWork) => {
    recordEvent(uow, happened, n, { n });
    recorded();
    await wait;
  });
  await isRecorded;
  return async () => {
    commit();
    await transaction;
  };
}

describe('the numbers of events', () => {
  test('an event without a number › is not in the feed', async () => {
    await record(1);
    expect(await subjects()).toEqual([]);
    await numberAll(services);
    expect(await subjects()).toEqual([1]);
  });

  test('a transaction that recorded first and committed last › comes after what was visible before', async () => {
    const commitFirst = await recordOpen(1);
    await record(2);
    await numberAll(services);
    expect(await subjects()).toEqual([2]);
    await commitFirst();
    await numberAll(services);
    expect(await subjects()).toEqual([2, 1]);
  });

  test('events of one transaction › keep their order, and each company has its own feed', async () => {
    const other = await createCompany(services);
    await services.perform({ companyId, actor: 'test' }, (uow) => {
      for (let n = 0; n < 120; n++) recordEvent(uow, happened, n + 1, { n });
    });
    await record(7, other.companyId);
    await numberAll(services);
    expect(await subjects()).toEqual(Array.from({ length: 120 }, (_, n) => n + 1));
    expect(await subjects(other.companyId)).toEqual([7]);
  });

  test('more events than one transaction numbers › get theirs in the next ones', async () => {
    await services.perform({ companyId, actor: 'test' }, (uow) => {
      for (let n = 0; n < 700; n++) recordEvent(uow, happened, n + 1, { n });
    });
    const first = await services.performForInstallation('sequencer', numberEvents);
    expect(first?.isFull).toBe(true);
    expect(await subjects()).toHaveLength(512);
    await numberAll(services);
    expect(await subjects()).toEqual(Array.from({ length: 700 }, (_, n) => n + 1));
  });

  test('a process that fails between its steps › leaves nothing behind, and the next one numbers the same events', async () => {
    await record(1);
    await record(2);
    const failing = services.performForInstallation('sequencer', async (work) => {
      await numberEvents(work);
      throw new Error('killed');
    });
    await expect(failing).rejects.toThrow('killed');
    expect(await subjects()).toEqual([]);
    await numberAll(services);
    expect(await subjects()).toEqual([1, 2]);
  });

  test('two processes at the same time › one numbers, the other one waits for its turn', async () => {
    await record(1);
    const results = await services.performForInstallation('first', async (work) => {
      const first = await numberEvents(work);
      return [first, await services.performForInstallation('second', numberEvents)];
    });
    expect(results.map((result) => result?.newest.size ?? null)).toEqual([1, null]);
  });

  test('a restored backup › gives no number again that was given after it was made', async () => {
    const { sql } = services;
    const [backup] = await sql.rows<{ last: number }>('SELECT last FROM event_sequence WHERE id = 1');
    await record(1);
    await numberAll(services);
    const [lost] = await feed();
    await sql.run('DELETE FROM events WHERE companyId = ? AND seq = ?', [companyId, lost?.id ?? 0]);
    await sql.run('UPDATE event_sequence SET last = ? WHERE id = 1', [backup?.last ?? 0]);
    clock.moveOn(1_000);
    await record(2);
    await numberAll(services);
    const [after] = await feed();
    expect(after?.id).toBeGreaterThan(lost?.id ?? Infinity);
  });

  test('a burst of events › does not run ahead of the clock', async () => {
    await services.sql.run('UPDATE event_sequence SET last = 0 WHERE id = 1');
    await services.perform({ companyId, actor: 'test' }, (uow) => {
      for (let n = 0; n < 2_000; n++) recordEvent(uow, happened, n + 1, { n });
    });
    await numberAll(services);
    const [sequence] = await services.sql.rows<{ last: number }>('SELECT last FROM event_sequence WHERE id = 1');
    expect(sequence?.last).toBeLessThanOrEqual((clock.now().getTime() + 1) * 1_000);
  });

  test('a backup restored on a machine whose clock is behind › gives higher numbers than a consumer has read, once they are moved', async () => {
    const { sql } = services;
    const last = 'UPDATE event_sequence SET last = ? WHERE id = 1';
    const [backup] = await sql.rows<{ last: number }>('SELECT last FROM event_sequence WHERE id = 1');
    await sql.run(last, [(Date.now() + 1_800_000) * 1_000]);
    await record(1);
    await numberAll(services);
    const after = (await feed())[0]?.id ?? 0;
    await sql.run('DELETE FROM events WHERE companyId = ? AND seq = ?', [companyId, after]);
    await sql.run(last, [backup?.last ?? 0]);

    const moved = await moveSequence(sql);
    expect(moved).toEqual({ movedBy: (moved?.last ?? 0) - (backup?.last ?? 0), last: expect.any(Number) as number });
    await record(2);
    await numberAll(services);
    const { events } = await readFeed(sql, companyId, { after, limit: 10 });
    expect(events.map(({ subjectId }) => subjectId)).toEqual([2]);
    // Another restore moves nothing back.
    await sql.run(last, [(Date.now() + 86_400_000) * 1_000]);
    expect(await moveSequence(sql)).toMatchObject({ movedBy: 0 });
    await sql.run(last, [backup?.last ?? 0]);
  });

  test('a last number ahead of the clock › is gone on from', async () => {
    const { sql } = services;
    const ahead = (Date.now() + 3_600_000) * 1_000;
    await sql.run('UPDATE event_sequence SET last = ? WHERE id = 1', [ahead]);
    await record(1);
    await record(2);
    await numberAll(services);
    expect((await feed()).map(({ id }) => id)).toEqual([ahead + 1, ahead + 2]);
  });

  test('what finds events without a number › reads an index, whatever is in the feed already', async () => {
    const plans = await plansOf(services.sql, (sql) =>
      numberEvents({ sql, now: new Date() } as Parameters<typeof numberEvents>[0]),
    );
    const found = plans.flat().find(({ table }) => table === 'events');
    expect(found).toMatchObject({ key: 'events_unnumbered' });
    expect(found?.Extra ?? '').not.toMatch(/filesort/);
  });
});
