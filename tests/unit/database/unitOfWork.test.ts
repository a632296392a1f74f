import { unitOfWork, type UnitOfWork } from '../../../shared/database/unitOfWork';
import type { Services } from '../../../shared/services';
import { createClient, createCompany } from '../../support/factories';
import { openTestServices } from '../../support/installation';

let services: Services;
let companyId: number;
let ids: [number, number];

beforeAll(async () => {
  services = await openTestServices();
});

beforeEach(async () => {
  ({ companyId } = await createCompany(services));
  ids = [(await createClient(services, companyId)).id, (await createClient(services, companyId)).id];
});

const run = <T>(work: (uow: UnitOfWork) => Promise<T>, committed?: () => void): Promise<T> =>
  unitOfWork(services.sequelize, services.clock, { companyId, actor: 'test' }, work, committed);
const rename = ({ sql }: UnitOfWork, id: number, name: string): Promise<unknown> =>
  sql.run('UPDATE clients SET name = ? WHERE companyId = ? AND id = ?', [name, companyId, id]);
const names = async (): Promise<string[]> =>
  (
    await services.sql.rows<{ name: string }>('SELECT name FROM clients WHERE companyId = ? ORDER BY id', [companyId])
  ).map(({ name }) => name);

describe('unitOfWork', () => {
  test('what it did › is there after it, and committed is called once', async () => {
    let committed = 0;
    const answer = await run(
      async (uow) => {
        await rename(uow, ids[0], 'a');
        await rename(uow, ids[1], 'b');
        return 7;
      },
      () => committed++,
    );
    expect([answer, committed, await names()]).toEqual([7, 1, ['a', 'b']]);
  });

  test('an error after half of the work › leaves nothing of it, and nothing is called', async () => {
    const before = await names();
    let committed = 0;
    const failed = run(
      async (uow) => {
        await rename(uow, ids[0], 'a');
        throw new RangeError('half done');
      },
      () => committed++,
    );
    await expect(failed).rejects.toThrow(new RangeError('half done'));
    expect([committed, await names()]).toEqual([0, before]);
  });

  test('an error of the database › is passed on after a rollback', async () => {
    const before = await names();
    const failed = run(async (uow) => {
      await rename(uow, ids[0], 'a');
      await uow.sql.run('INSERT INTO clients SELECT * FROM clients WHERE id = ?', [ids[0]]);
    });
    await expect(failed).rejects.toMatchObject({ code: 'ER_DUP_ENTRY' });
    expect(await names()).toEqual(before);
  });

  test('a real deadlock of two › one is tried again from the beginning, and both are done', async () => {
    let tries = 0;
    let arrived = 0;
    let meet: () => void = () => undefined;
    const met = new Promise<void>((resolve) => (meet = resolve));
    const crossing = (first: number, second: number, name: string): Promise<void> =>
      run(async (uow) => {
        tries++;
        await rename(uow, first, name);
        if (++arrived === 2) meet();
        await met;
        await rename(uow, second, name);
      });
    await Promise.all([crossing(ids[0], ids[1], 'a'), crossing(ids[1], ids[0], 'b')]);
    expect(tries).toBe(3);
    expect(new Set(await names()).size).toBe(1);
  });

  test('jobs that a rolled back try recorded › are not relayed', async () => {
    let tries = 0;
    let relayed: readonly { id: number }[] = [];
    await unitOfWork(
      services.sequelize,
      services.clock,
      { companyId, actor: 'test' },
      (uow) => {
        const ref = { companyId, id: ++tries, name: 'x', queue: 'email' as const, availableAt: uow.now };
        uow.recordedJobs.push(ref);
        if (tries === 1) throw Object.assign(new Error('deadlock'), { errno: 1213 });
        return Promise.resolve();
      },
      (jobs) => (relayed = jobs),
    );
    expect(relayed.map(({ id }) => id)).toEqual([2]);
  });

  test('a deadlock each time › ends after a few tries with the error', async () => {
    let tries = 0;
    const endless = run(() => {
      tries++;
      return Promise.reject(Object.assign(new Error('deadlock'), { errno: 1213 }));
    });
    await expect(endless).rejects.toThrow('deadlock');
    expect(tries).toBe(5);
  });

  test('the session › is strict: what does not fit is refused, not cut off', async () => {
    const tooLong = run((uow) => rename(uow, ids[0], 'x'.repeat(256)));
    await expect(tooLong).rejects.toMatchObject({ code: 'ER_DATA_TOO_LONG' });
    const [session] = await run(({ sql }) => sql.rows<{ mode: string }>('SELECT @@SESSION.sql_mode AS mode'));
    expect(session?.mode).toContain('STRICT_ALL_TABLES');
  });
});
