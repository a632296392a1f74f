import { execFileSync } from 'node:child_process';
import { createConnection, type Connection } from 'mysql2/promise';
import { unitOfWork, type UnitOfWork } from '../../../../shared/engine/db/unitOfWork';
import type { Services } from '../../../../shared/services';
import { eventually } from '../../../support/eventually';
import { createClient, createCompany } from '../../../support/factories';
import { installation, openTestServices } from '../../../support/installation';

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
  test('its changes › are committed, and the callback is called once', async () => {
    let committed = 0;
    const returned = await run(
      async (uow) => {
        await rename(uow, ids[0], 'a');
        await rename(uow, ids[1], 'b');
        return 7;
      },
      () => committed++,
    );
    expect([returned, committed, await names()]).toEqual([7, 1, ['a', 'b']]);
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

  test('a real deadlock of two › one is retried from the beginning, and both are done', async () => {
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
        const job = { companyId, id: ++tries, name: 'x', queue: 'email' as const, availableAt: uow.now };
        const ref = { ...job, isWaitedFor: false, requestId: null };
        uow.recordedJobs.push(ref);
        if (tries === 1) throw Object.assign(new Error('deadlock'), { errno: 1213 });
        return Promise.resolve();
      },
      ({ recordedJobs }) => (relayed = recordedJobs),
    );
    expect(relayed.map(({ id }) => id)).toEqual([2]);
  });

  test('a deadlock each time › ends after a few tries with an error that says that a retry helps', async () => {
    let tries = 0;
    const endless = run(() => {
      tries++;
      return Promise.reject(Object.assign(new Error('deadlock'), { errno: 1213 }));
    });
    await expect(endless).rejects.toMatchObject({ code: 'service_unavailable', status: 503, retryable: true });
    expect(tries).toBe(5);
  });

  test('the session › is strict: what does not fit is refused, not cut off', async () => {
    const tooLong = run((uow) => rename(uow, ids[0], 'x'.repeat(256)));
    await expect(tooLong).rejects.toMatchObject({ code: 'ER_DATA_TOO_LONG' });
    const [session] = await run(({ sql }) => sql.rows<{ mode: string }>('SELECT @@SESSION.sql_mode AS mode'));
    expect(session?.mode).toContain('STRICT_ALL_TABLES');
  });
});

describe('a lock that another session holds', () => {
  let holder: Connection;

  beforeAll(async () => {
    holder = await createConnection((await installation())['DATABASE_URL'] ?? '');
  });
  beforeEach(async () => {
    await holder.query('START TRANSACTION');
    await holder.query('SELECT id FROM clients WHERE companyId = ? AND id = ? FOR UPDATE', [companyId, ids[0]]);
  });
  afterEach(() => holder.query('ROLLBACK'));
  afterAll(() => holder.end());

  const renameOf = (through: Services, company: number, id: number, begun?: () => void): Promise<unknown> =>
    through.perform({ companyId: company, actor: 'test' }, (uow) => {
      begun?.();
      return uow.sql.run('UPDATE clients SET name = ? WHERE companyId = ? AND id = ?', ['x', company, id]);
    });

  test('is waited for twice › then the error says that a retry helps', async () => {
    // A lock is waited for during a second.
    const impatient = await openTestServices({ env: { DATABASE_TIMEOUT_MS: '9000' } });
    let tries = 0;
    await expect(renameOf(impatient, companyId, ids[0], () => tries++)).rejects.toMatchObject({
      code: 'service_unavailable',
      status: 503,
      retryable: true,
      headers: { 'Retry-After': '2' },
      reason: 'contended',
    });
    expect(tries).toBe(2);
  });

  test('as many changes of its company as there are connections wait for it › another company gets a connection', async () => {
    const other = await createCompany(services);
    const client = await createClient(services, other.companyId);
    // A lock is waited for during a minute, and a connection during five seconds.
    const patient = await openTestServices({ env: { DATABASE_TIMEOUT_MS: '300000', DATABASE_POOL_SIZE: '4' } });
    const blocked = Promise.allSettled(Array.from({ length: 4 }, () => renameOf(patient, companyId, ids[0])));
    for (let n = 0; n < 5; n++) await renameOf(patient, other.companyId, client.id);
    await holder.query('ROLLBACK');
    expect((await blocked).filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(2);
  });
});

describe('a session', () => {
  test('ends by itself when its process vanishes, and waits for a lock for less long than for a response', async () => {
    const [session] = await services.sql.rows<Record<string, number>>(
      `SELECT @@SESSION.wait_timeout AS silent, @@SESSION.innodb_lock_wait_timeout AS rowLock,
        @@SESSION.lock_wait_timeout AS tableLock`,
    );
    expect(session).toEqual({ silent: 20, rowLock: 3, tableLock: 3 });
  });

  test('whose statement takes too long › is closed, and the server ends the statement as well', async () => {
    const impatient = await openTestServices({ env: { DATABASE_TIMEOUT_MS: '300' } });
    const mark = 'slow_of_this_test';
    const slow = (): Promise<unknown> =>
      impatient.sql.rows(`SELECT BENCHMARK(1000000000000, SHA2('x', 256)) AS ${mark}`);
    // While the machine stalls, a connection times out before its statement as well.
    await eventually(() => slow().catch(({ code }: { code?: unknown }) => code === 'ETIMEDOUT'));
    const running = () =>
      services.sql.rows('SELECT id FROM information_schema.processlist WHERE info LIKE ?', [
        `SELECT BENCHMARK(1000000000000, SHA2('x', 256)) AS ${mark}%`,
      ]);
    await eventually(async () => (await running()).length === 0);
    // A usual statement is not affected. It is repeated in case the machine stalls for 300 ms.
    expect(await eventually(() => impatient.sql.rows('SELECT 1 AS one').catch(() => null))).toEqual([{ one: 1 }]);
  });

  test('that the server ends while it is idle › costs no request an error', async () => {
    // Sequelize reports there that it could not roll back.
    jest.spyOn(console, 'warn').mockReturnValueOnce(undefined);
    const { DATABASE_URL = '' } = await installation();
    const behind = await openTestServices({ env: { DATABASE_POOL_SIZE: '1' } });
    /** Ends the pool's session without letting this process notice: it reads nothing from its sockets meanwhile. */
    const endSession = async (): Promise<void> => {
      const [session] = await behind.sql.rows<{ id: number }>('SELECT CONNECTION_ID() AS id');
      execFileSync(process.execPath, ['-e', killer, String(session?.id)], { env: { ...process.env, DATABASE_URL } });
    };
    await endSession();
    await expect(behind.sql.rows('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
    await endSession();
    const work = (uow: UnitOfWork): Promise<unknown> => rename(uow, ids[0], 'after');
    await expect(behind.perform({ companyId, actor: 'test' }, work)).resolves.toMatchObject({ affectedRows: 1 });
  });
});

/** A script that ends the session of this id, and itself once the server has closed its connection. */
const killer = `(async () => {
  const connection = await require('mysql2/promise').createConnection(process.env.DATABASE_URL);
  const id = process.argv[1];
  await connection.query('KILL ' + id);
  const find = 'SELECT id FROM information_schema.processlist WHERE id = ' + id;
  while ((await connection.query(find))[0].length > 0);
  await connection.end();
})()`;
