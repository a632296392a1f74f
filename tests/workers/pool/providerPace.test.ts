import type { EmailTransport } from '../../../workers/mail';
import { EmailUnavailable } from '../../../shared/kernel/errors';
import { openPaces, ProviderPace } from '../../../workers/pool/ProviderPace';
import { Snooze } from '../../../workers/pool/JobRun';
import { eventually } from '../../support/eventually';
import { openTestServices } from '../../support/installation';
import { Effects, jobIdOf } from '../../support/workers';
import { errorOf } from '../mail/localEmail';

let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start();
  await effects.startPool(['pdf']);
});

/** E-mails without a wait, whose PDFs are there. Returns the jobs. */
async function requestEmails(count: number): Promise<number[]> {
  const subjects = await Promise.all(Array.from({ length: count }, () => effects.invoice()));
  for (const { as, invoice } of subjects) await as.get(`/api/invoices/${invoice.id}/pdf`).expect(200);
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

test('a rate › holds over several processes, whose runs take turns', async () => {
  const [one, other] = [effects.services, await openTestServices()].map(
    (services) => new ProviderPace({ ...services, clock: effects.clock }, 'email', 20),
  );
  const begun: number[] = [];
  const turns = Array.from({ length: 20 }, async (_, index) => {
    await (index % 2 === 0 ? one : other)?.turn();
    begun.push(performance.now());
  });
  await Promise.all(turns);
  // Between the first turn and the last one are 19 intervals of 50 ms. A timer may be early by a millisecond.
  expect(Math.max(...begun) - Math.min(...begun)).toBeGreaterThan(19 * 50 - 20);
});

test('a turn that is far away › is not taken: the run is deferred until then', async () => {
  const pace = new ProviderPace(effects.services, 'payment-link', 1);
  const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => pace.turn(AbortSignal.timeout(1))));
  const reasons = outcomes.map((one) => (one.status === 'rejected' ? (one.reason as unknown) : null));
  expect(reasons[0]).toBeNull();
  expect(reasons.slice(1).every((reason) => reason instanceof Snooze)).toBe(true);
  const last = reasons[5] as Snooze;
  expect(last.until.getTime() - effects.clock.now().getTime()).toBeGreaterThan(2_000);
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
  const paces = openPaces(services);
  const pools = [await effects.startPool(['email'], services, { email, paces })];
  pools.push(await effects.startPool(['email'], services, { email, paces }));
  expect((await ended(ids)).map(({ status }) => status)).toEqual(ids.map(() => 'done'));
  for (const { stop } of pools) await stop();
  expect(times).toHaveLength(11);
  const [first = 0, last = 0] = [Math.min(...times), Math.max(...times)];
  expect(last - first).toBeGreaterThan(1_800);
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
  expect(await errorOf(openPaces(await openTestServices({ clock: effects.clock })).email.turn())).toBeInstanceOf(
    Snooze,
  );
  effects.clock.moveOn(61_000);
  for (const id of ids) expect(await effects.run(id, { email })).toEqual({ done: true });
});

test('a provider that asks for days › is asked again after ten minutes', async () => {
  const pace = new ProviderPace(effects.services, 'email', 0);
  expect(await pace.hold(86_400_000)).toBe(600_000);
  await effects.services.queues.redis.del(`${effects.services.config.redisPrefix}:email:limiter`);
  effects.clock.moveOn(600_001);
  await pace.turn();
});
