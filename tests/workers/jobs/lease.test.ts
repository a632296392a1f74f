import { getEventListeners } from 'node:events';
import { leases } from '../../../config/queues';
import { createLogger } from '../../../shared/engine/log/log';
import { Job } from '../../../shared/models';
import { Lease } from '../../../workers/jobs/Lease';
import { LeaseLost } from '../../../workers/jobs/JobRun';
import { LeaseConnection } from '../../../workers/jobs/LeaseConnection';
import { createCompany } from '../../support/factories';
import { atEnd, installation, openTestServices } from '../../support/installation';
import { startTcpProxy } from '../../support/tcpProxy';
import { storeEndpoint } from '../../support/webhooks';

const { leaseMs } = leases;
/** How long a {@link LeaseConnection} takes to give a renewal up, after two tries. */
const GIVEN_UP_MS = (2 * leaseMs) / 5;

describe('a lease', () => {
  beforeEach(() => {
    stopping = new AbortController();
    jest.useFakeTimers();
  });
  afterEach(() => jest.useRealTimers());

  let stopping: AbortController;

  /** Holds a lease whose renewals end as `outcomes` says, then well. Returns until when it lasts, and when each renewal ended. */
  function held(outcomes: ('late' | 'refused' | 'lost')[] = [], claimMs = 0) {
    const ended: number[] = [];
    const heldSince = Date.now();
    const state = { until: heldSince + leaseMs, ended };
    jest.advanceTimersByTime(claimMs);
    const lease = new Lease(
      { clock: { now: () => new Date() }, log: createLogger('silent', 'test') },
      async (until) => {
        const outcome = outcomes.shift();
        if (outcome === 'late') await new Promise((resolve) => setTimeout(resolve, GIVEN_UP_MS));
        ended.push(Date.now());
        if (outcome === 'lost') return false;
        if (outcome !== undefined) throw new Error(outcome);
        state.until = Math.max(state.until, until.getTime());
        return true;
      },
      stopping.signal,
      performance.now() - claimMs,
    );
    return { lease, state };
  }

  test('whose renewals succeed › is renewed once in each half of its time', async () => {
    const { lease, state } = held();
    await jest.advanceTimersByTimeAsync(leaseMs * 5);
    lease.release();
    expect(state.ended).toHaveLength(10);
    await jest.advanceTimersByTimeAsync(leaseMs * 5);
    expect(state.ended).toHaveLength(10);
  });

  test('that its holder renews with other statements › is not renewed once more before half of that time', async () => {
    const { lease, state } = held();
    for (let ms = 0; ms < 4 * leaseMs; ms += leaseMs / 4) {
      lease.renewedBy(performance.now());
      await jest.advanceTimersByTimeAsync(leaseMs / 4);
    }
    expect(state.ended).toEqual([]);
    await jest.advanceTimersByTimeAsync(leaseMs / 4);
    lease.release();
    expect(state.ended).toHaveLength(1);
  });

  test.each([['late'], ['refused']] as const)(
    'whose first renewal is %s › lasts on if the second succeeds',
    async (outcome) => {
      const { lease, state } = held([outcome]);
      for (let ms = 0; ms < 4 * leaseMs; ms += 10) {
        await jest.advanceTimersByTimeAsync(10);
        expect(state.until).toBeGreaterThan(Date.now());
      }
      lease.release();
    },
  );

  test('that another run has › aborts its work', async () => {
    const { lease } = held(['lost']);
    expect(lease.aborted.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(leaseMs);
    expect(lease.aborted.reason).toBeInstanceOf(LeaseLost);
    expect(() => lease.throwIfLost()).toThrow(LeaseLost);
    lease.release();
  });

  test('aborts its work when the process ends, and leaves nothing in memory when it is released', () => {
    const waiting = (): number => getEventListeners(stopping.signal, 'abort').length;
    const [first, second] = [held().lease, held().lease];
    first.release();
    expect(waiting()).toBe(1);
    stopping.abort(new Error('the process ends'));
    const third = held().lease;
    expect([first, second, third].map(({ aborted }) => aborted.aborted)).toEqual([false, true, true]);
    second.release();
    third.release();
    expect(() => second.throwIfLost()).not.toThrow();
    expect(waiting()).toBe(0);
  });

  test('whose claim took most of its time › is renewed immediately', async () => {
    const { lease, state } = held([], leaseMs * 0.9);
    await jest.advanceTimersByTimeAsync(0);
    lease.release();
    expect(state.ended).toHaveLength(1);
  });
});

const at = new Date('2030-01-01T00:00:00Z');
const running = {
  name: 'expirePaymentLinks',
  queue: 'payment-link',
  payload: '{}',
  status: 'running',
  attempt: 1,
  uncounted: 0,
  maxAttempt: 8,
  availableAt: at,
  relayAt: at,
  createdAt: at,
  updatedAt: at,
} as const;

function leaseConnection(url = ''): LeaseConnection {
  const connection = new LeaseConnection(url);
  atEnd(() => connection.close());
  return connection;
}

describe('a renewal', () => {
  test('with an earlier end than the lease has › does not make it shorter; a later one makes it longer', async () => {
    const services = await openTestServices();
    const connection = leaseConnection((await installation())['DATABASE_URL']);
    const { companyId } = await createCompany(services);
    const leaseUntil = new Date('2030-01-01T00:00:05Z');
    const job = await Job.create({ ...running, companyId, leaseUntil });
    const endpoint = await storeEndpoint(services, companyId);
    await endpoint.update({ leaseUntil, run: 1 });
    const renewBoth = async (until: string): Promise<unknown> => {
      expect(await connection.renew({ id: job.id, attempt: 1 }, new Date(until))).toBe(true);
      expect(await connection.renewEndpoint({ companyId, id: endpoint.id, run: 1 }, new Date(until))).toBe(true);
      await Promise.all([job.reload(), endpoint.reload()]);
      return [job.leaseUntil?.toISOString(), endpoint.leaseUntil?.toISOString()];
    };
    expect(await renewBoth('2030-01-01T00:00:04Z')).toEqual(Array(2).fill('2030-01-01T00:00:05.000Z'));
    expect(await renewBoth('2030-01-01T00:00:06Z')).toEqual(Array(2).fill('2030-01-01T00:00:06.000Z'));
  });

  test('of a row that is locked › fails immediately, and holds up no other renewal', async () => {
    const services = await openTestServices();
    const connection = leaseConnection((await installation())['DATABASE_URL']);
    const { companyId } = await createCompany(services);
    const endpoint = await storeEndpoint(services, companyId);
    await endpoint.update({ run: 1 });
    const job = await Job.create({ ...running, companyId, leaseUntil: new Date() });
    const until = new Date('2030-01-01T00:00:00Z');
    await services.perform({ companyId, actor: 'test' }, async ({ sql }) => {
      await sql.rows('SELECT 1 FROM webhook_endpoints WHERE companyId = ? AND id = ? FOR UPDATE', [
        companyId,
        endpoint.id,
      ]);
      const renewEndpoint = () => connection.renewEndpoint({ companyId, id: endpoint.id, run: 1 }, until);
      const results = await Promise.allSettled([renewEndpoint(), connection.renew({ id: job.id, attempt: 1 }, until)]);
      expect(results).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: true }]);
    });
    expect(await connection.renewEndpoint({ companyId, id: endpoint.id, run: 1 }, until)).toBe(true);
  });

  /** Renewals through a proxy, which have connected. */
  async function throughProxy() {
    const { DATABASE_URL = '' } = await installation();
    const proxy = await startTcpProxy(DATABASE_URL);
    const connection = leaseConnection(proxy.url);
    const renew = () => connection.renew({ id: 999_999_999, attempt: 1 }, new Date());
    expect(await renew()).toBe(false);
    return { proxy, connection, renew };
  }

  test('whose connection carries nothing any more › succeeds on a new one, as do all that wait behind it', async () => {
    const { proxy, renew } = await throughProxy();
    proxy.vanish();
    expect(await Promise.all(Array.from({ length: 20 }, renew))).toEqual(Array(20).fill(false));
  });

  test('whose connection breaks › succeeds on a new one, as do all that wait behind it', async () => {
    const { proxy, renew } = await throughProxy();
    proxy.freeze();
    const renewals = Array.from({ length: 20 }, renew);
    proxy.cut();
    proxy.restore();
    expect(await Promise.all(renewals)).toEqual(Array(20).fill(false));
  });

  test('that MySQL does not carry out in time › fails after two tries, and the next ones succeed when it works again', async () => {
    const { proxy, renew } = await throughProxy();
    proxy.freeze();
    const [first, ...next] = Array.from({ length: 3 }, renew);
    await expect(first).rejects.toThrow();
    proxy.restore();
    expect(await Promise.all(next)).toEqual([false, false]);
  });

  test('that waits when the connection is closed › fails', async () => {
    const { proxy, connection, renew } = await throughProxy();
    proxy.freeze();
    const renewals = [renew(), renew()].map((renewal) => expect(renewal).rejects.toThrow('the process stops'));
    connection.close();
    await Promise.all(renewals);
  });
});
