import type { EmailTransport } from '../../../workers/mail';
import { DeliveryUncertain, EmailUnavailable } from '../../../shared/engine/errors';
import type { QueueEntry } from '../../../workers/jobs/ServedQueue';
import { WorkerPool } from '../../../workers/jobs/WorkerPool';
import { openRateLimits, ProviderRateLimit } from '../../../workers/jobs/ProviderRateLimit';
import { Snooze } from '../../../workers/jobs/JobRun';
import { eventually } from '../../support/eventually';
import { openTestServices } from '../../support/installation';
import { Effects, jobIdOf } from '../../support/workers';
import { errorOf } from '../mail/localEmail';

let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start();
  await effects.startPool(['pdf']);
});

/** The turns that tests before have taken are of other clocks. */
beforeEach(async () => {
  const { redis } = effects.services.queues;
  for (const prefix of Object.values(effects.services.config.queuePrefixes)) {
    const keys = await redis.keys(`${prefix}:pace:*`);
    if (keys.length > 0) await redis.del(keys);
  }
});

/** E-mails without a wait, whose PDFs are there. Returns the jobs. */
async function requestEmails(count: number): Promise<number[]> {
  const subjects = await Promise.all(Array.from({ length: count }, () => effects.invoice()));
  for (const subject of subjects) await effects.printForEmail(subject);
  const requested = subjects.map(({ as, invoice }) =>
    as.post(`/api/invoices/${invoice.id}/send-email`).set('Prefer', 'respond-async').expect(202),
  );
  return (await Promise.all(requested)).map(jobIdOf);
}

const ended = (ids: number[]) =>
  eventually(async () => {
    const jobs = await Promise.all(ids.map((id) => effects.job(id)));
    return jobs.every(({ endedAt }) => endedAt !== null) ? jobs : null;
  });

const of = (companyId: number, signal = new AbortController().signal) => ({ companyId, signal });

test('a rate › holds over several processes: each turn is after the last one, and one that is far away is not taken', async () => {
  const now = effects.clock.now();
  const clock = { now: () => now };
  const rateLimits = [effects.services, await openTestServices()].map(
    (services) => new ProviderRateLimit({ ...services, clock }, 'xendit', 2),
  );
  // Two a second: one begins now, four within the next two seconds, and the others are deferred until their turn.
  const outcomes = Array.from({ length: 8 }, (_, turn) =>
    rateLimits[turn % 2]!.turn(of(1)).then(
      () => 0,
      (error: unknown) => (error as Snooze).until.getTime() - now.getTime(),
    ),
  );
  expect((await Promise.all(outcomes)).sort()).toEqual([0, 0, 0, 0, 0, 2_500, 2_500, 2_500]);
});

test('a rate › companies alternate, however many calls each has, and the calls of each keep their order', async () => {
  const limit = new ProviderRateLimit(await openTestServices(), 'stripe', 10);
  const order: string[] = [];
  const calls = ['1a', '1b', '1c', '1d', '2a', '2b', '3a'].map((call) =>
    limit.turn(of(Number.parseInt(call))).then(() => order.push(call)),
  );
  await Promise.all(calls);
  expect(order).toEqual(['1a', '2a', '3a', '2b', '1b', '1c', '1d']);
});

test.each([1, 2])(
  'a rate › the second call of a run is not deferred behind two seconds of company %d',
  async (other) => {
    const limit = new ProviderRateLimit(await openTestServices(), 'stripe', 2);
    const run = of(1);
    await limit.turn(run);
    const others = Array.from({ length: 5 }, () => limit.turn(of(other)).catch((error: unknown) => error));
    await limit.turn(run);
    expect((await Promise.all(others)).filter((outcome) => outcome instanceof Snooze)).toHaveLength(1);
  },
);

test('a rate › the call of a company is the next one, though another has many waiting in each of the processes', async () => {
  const services = await openTestServices();
  const processes = Array.from({ length: 9 }, () => new ProviderRateLimit(services, 'stripe', 20));
  const order: number[] = [];
  const call = (limit: ProviderRateLimit, companyId: number): Promise<unknown> =>
    limit.turn(of(companyId)).then(() => order.push(companyId));
  const own = processes.pop() as ProviderRateLimit;
  const calls = processes.flatMap((limit) => [1, 1, 1, 1].map((companyId) => call(limit, companyId)));
  for (const victim of [2, 3, 4]) {
    const before = order.length;
    await call(own, victim);
    // What was about to begin may begin before it.
    expect(order.indexOf(victim) - before).toBeLessThanOrEqual(2);
  }
  await Promise.all(calls);
  expect(order).toHaveLength(35);
});

test('a rate › when too many of a company wait, its further calls are deferred, and the only one of another is not', async () => {
  const limit = new ProviderRateLimit(await openTestServices(), 'email', 2);
  const outcomes = [1, 1, 1, 1, 1, 1, 2].map((companyId) =>
    limit.turn(of(companyId)).then(
      () => `${companyId} begins`,
      () => `${companyId} is deferred`,
    ),
  );
  expect((await Promise.all(outcomes)).sort()).toEqual([
    ...['1 begins', '1 begins', '1 begins', '1 begins', '1 begins', '1 is deferred', '2 begins'],
  ]);
});

test('a rate › a run that was aborted is deferred, and the others keep their turns', async () => {
  const limit = new ProviderRateLimit(await openTestServices(), 'email', 10);
  const ending = new AbortController();
  const [, ended, other] = [limit.turn(of(1)), limit.turn(of(1, ending.signal)), limit.turn(of(1))];
  ending.abort();
  expect(await errorOf(ended)).toBeInstanceOf(Snooze);
  await other;
  expect(await errorOf(limit.turn(of(1, ending.signal)))).toBeInstanceOf(Snooze);
});

test('a rate for all workers › every message goes out, no faster', async () => {
  const services = await openTestServices({
    env: { ...effects.farSides.env, EMAIL_RATE_PER_SECOND: '5' },
    clock: effects.clock,
  });
  const times: number[] = [];
  const email: EmailTransport = {
    send: () => {
      times.push(performance.now());
      return Promise.resolve({ providerMessageId: 'accepted' });
    },
    close: () => Promise.resolve(),
  };
  const ids = await requestEmails(11);
  const rateLimits = openRateLimits(services);
  const begun = performance.now();
  const pools = [await effects.startPool(['email'], services, { email, rateLimits })];
  pools.push(await effects.startPool(['email'], services, { email, rateLimits }));
  expect((await ended(ids)).map(({ status }) => status)).toEqual(ids.map(() => 'done'));
  for (const { stop } of pools) await stop();
  expect(times).toHaveLength(11);
  // Ten intervals of 200 ms.
  expect(Math.max(...times) - begun).toBeGreaterThan(1_900);
});

test('a queue with a rate › starts that do nothing cost their company as much as starts of work, or a first start', async () => {
  const { queues, redis, config, log } = await openTestServices();
  let nowMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  let begun = 0;
  // One start in 200 ms. The second company's work takes that long, and that of the first is not there yet.
  const process = ({ companyId }: QueueEntry) => {
    begun += 1;
    nowMs += companyId === 2 ? 200 : 0;
    return Promise.resolve({ done: null });
  };
  const served = { queue: 'email', concurrency: 1, ratePerSecond: 5, process } as const;
  const pool = new WorkerPool({ queues, redis, config, log }, [served]);
  const add = async (turn: number, ...companyIds: number[]): Promise<void> => {
    for (const companyId of companyIds) {
      const flow = { companyId, isWaitedFor: false };
      await queues.add({ queue: 'email', name: 'x', jobId: `job-${companyId}-${turn}`, data: {}, flow });
    }
  };
  for (const turn of [1, 2, 3]) await add(turn, 1, 2);
  await eventually(() => begun === 6);
  await pool.drain(1_000);
  const unsettled = (companyId: number) => queues.redis.hget(`${config.redisPrefix}:turns:email:${companyId}`, 'count');
  await eventually(async () => (await Promise.all([unsettled(1), unsettled(2)])).every((count) => count === '0'));
  for (const turn of [4, 5, 6]) await add(turn, 1, 2, 3);
  const { jobs } = await queues.entries('email', 'prioritized', 0, 9);
  expect(jobs.map(({ id }) => id?.slice(4))).toEqual(['1-4', '2-4', '3-4', '1-5', '2-5', '3-5', '1-6', '2-6', '3-6']);
});

test('a provider that asks for fewer requests › all workers stop for that long, and no attempt is used', async () => {
  const ids = await requestEmails(4);
  let refusals = 0;
  const email: EmailTransport = {
    send: () => {
      if (refusals > 0) return Promise.resolve({ providerMessageId: 'accepted' });
      refusals += 1;
      return Promise.reject(new EmailUnavailable('the provider responded with 429', undefined, 60_000));
    },
    close: () => Promise.resolve(),
  };
  const before = effects.clock.now().getTime();
  const outcomes = [];
  for (const id of ids) outcomes.push(await effects.run(id, { email }));
  for (const outcome of outcomes) {
    if (!('nextRunAt' in outcome)) throw new Error('it should be deferred');
    expect(outcome.nextRunAt.getTime() - before).toBeGreaterThanOrEqual(59_000);
  }
  expect(await effects.job(ids[0]!)).toMatchObject({ attempt: 1, uncounted: 1, errorCode: 'email_unavailable' });
  // Also a worker that has not met the refusal itself.
  expect(
    await errorOf(openRateLimits(await openTestServices({ clock: effects.clock })).email.turn(of(1))),
  ).toBeInstanceOf(Snooze);
  effects.clock.moveOn(61_000);
  for (const id of ids) expect(await effects.run(id, { email })).toEqual({ done: true });
});

test('a provider that asks for it with an outcome that is unknown › all workers stop, and the message is not repeated', async () => {
  const [uncertain = 0, next = 0] = await requestEmails(2);
  const send = jest.fn(() =>
    Promise.reject(new DeliveryUncertain('the provider responded with 503', undefined, 60_000)),
  );
  const email: EmailTransport = { send, close: () => Promise.resolve() };
  expect(await effects.run(uncertain, { email })).toHaveProperty('failed');
  expect(await effects.job(uncertain)).toMatchObject({ status: 'uncertain' });
  expect(await effects.run(next, { email })).toHaveProperty('nextRunAt');
  expect(send).toHaveBeenCalledTimes(1);
  effects.clock.moveOn(61_000);
});

test('a provider that asks for days › is asked again after ten minutes', async () => {
  const pace = new ProviderRateLimit(effects.services, 'email', 0);
  expect(await pace.hold(86_400_000)).toBe(600_000);
  await effects.services.queues.redis.del(`${effects.services.config.redisPrefix}:email:limiter`);
  effects.clock.moveOn(600_001);
  await pace.turn(of(1));
});

test('a payment provider that asks for fewer requests › stops its calls, and not those of the others', async () => {
  const { xendit, stripe, email } = openRateLimits(effects.services);
  const subject = await effects.invoice();
  const path = `/api/invoices/${subject.invoice.id}/create-gateway-invoice`;
  const jobId = jobIdOf(await subject.as.post(path).set('Prefer', 'respond-async').expect(202));
  await effects.gatewayFault({ mode: 'fail', operation: 'create', status: 429, retryAfterSeconds: 60, times: 1 });
  expect(await effects.run(jobId)).toHaveProperty('nextRunAt');
  expect(await effects.job(jobId)).toMatchObject({ attempt: 1, uncounted: 1, errorCode: 'gateway_unavailable' });
  expect(await errorOf(xendit.turn(of(1)))).toBeInstanceOf(Snooze);
  await stripe.turn(of(1));
  await email.turn(of(1));
  // BullMQ goes on handing out the jobs of the others.
  const { redis } = effects.services.queues;
  expect(await redis.exists(`${effects.services.config.queuePrefixes['payment-link']}:payment-link:limiter`)).toBe(0);
  effects.clock.moveOn(61_000);
  expect(await effects.run(jobId)).toEqual({ done: true });
});
