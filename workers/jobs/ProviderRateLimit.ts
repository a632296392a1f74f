import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { providerNames } from '../../config/paymentProviders';
import type { Services } from '../../shared/services';
import type { Caller } from '../gateways';
import { type CalledProvider, snoozeFor, type RateLimit, type RateLimits } from './JobRun';

/**
 * How long a run waits for a call. A run that would wait longer is deferred, which frees its slot; deferred after its first call, it repeats
 * that. The end of the line may be further away for the only run of a company, which gets the turn of another's.
 */
const MAX_WAIT_MS = { toBegin: 2_000, begun: 4_000, only: 6_000 };
/** For how long a provider's `Retry-After` stops all calls at least, also one of 0 or in the past, and at most. */
const MIN_HOLD_MS = 1_000;
const MAX_HOLD_MS = 10 * 60_000;
/** How long a run is deferred while Redis is unreachable. */
const UNREACHABLE_MS = 2_000;
/** How many of the next turns are looked at, so that the script is short at any rate. */
const LOOKED_AT = 64;
/** How long Redis keeps a turn whose run never asked again. */
const KEPT_MS = 60_000;

/**
 * KEYS: the next turn that is free, the time until which the provider wants no calls, the runs that wait by the times of their turns, the
 * company of the last call. ARGV: now, the interval between two calls, the longest waits of the only run of a company and of this one beside
 * others, the company, the run. Returns whether the run has a turn, and in how many milliseconds it comes (or would come). Then the run asks
 * again, because its turn may have gone to another.
 *
 * The runs of a company are counted in the order of their turns, its last call included. A run takes the first turn of a run with a higher
 * count. This one takes the turn of its company's next one, and so on; the last goes to the end of the line. So companies alternate, however
 * many runs each has in any of the processes.
 */
const TAKE = `
local now, interval, company, run = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[5], ARGV[6]
local held = tonumber(redis.call('GET', KEYS[2]) or '0') - now
if held > 0 then return {0, math.ceil(held)} end
if interval == 0 then return {1, 0} end
local turn = tonumber(redis.call('ZSCORE', KEYS[3], run))
if not turn then
  turn = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
  local counts, countOf, companyOf, longest = {}, {}, {}, ARGV[3]
  counts[redis.call('GET', KEYS[4]) or ''] = 1
  local line = redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. now, '+inf', 'LIMIT', 0, ${LOOKED_AT})
  for _, other in ipairs(line) do
    local of = string.match(other, '^%d+')
    if of == company then longest = ARGV[4] end
    companyOf[other], countOf[other] = of, counts[of] or 0
    counts[of] = countOf[other] + 1
  end
  if turn - now > tonumber(longest) then return {0, math.ceil(turn - now)} end
  redis.call('SET', KEYS[1], string.format('%.3f', turn + interval), 'PX', math.ceil(turn + interval - now) + 1000)
  local own, moved = turn, nil
  for _, other in ipairs(line) do
    local isMoved = companyOf[other] == companyOf[moved]
    if isMoved or (not moved and countOf[other] > (counts[company] or 0)) then
      local freed = redis.call('ZSCORE', KEYS[3], other)
      if moved then redis.call('ZADD', KEYS[3], freed, moved) else own = tonumber(freed) end
      moved = other
    end
  end
  if moved then redis.call('ZADD', KEYS[3], turn, moved) end
  turn = own
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - ${KEPT_MS})
  redis.call('ZADD', KEYS[3], turn, run)
  redis.call('PEXPIRE', KEYS[3], ${KEPT_MS})
end
if turn > now then return {1, math.ceil(turn - now)} end
redis.call('ZREM', KEYS[3], run)
redis.call('SET', KEYS[4], company, 'PX', ${KEPT_MS})
return {1, 0}`;

/** KEYS: the time until which the provider wants no calls. ARGV: that time, milliseconds until then. Returns 0 if it is later already. */
const HOLD = `
if tonumber(redis.call('GET', KEYS[1]) or '0') >= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/**
 * The rate limit of all workers' calls to one provider, by one line in Redis, in which companies alternate. No call begins while the
 * provider's `Retry-After` (429, 503) lasts. The payment providers share one rate, and each has its own `Retry-After`. The turn of a run
 * that was aborted is lost.
 */
export class ProviderRateLimit implements RateLimit {
  private readonly queue = queueOf(this.provider);
  private readonly intervalMs: number;
  /** Runs that have made a call. */
  private readonly begun = new WeakSet<Caller>();

  /** @param ratePerSecond calls of all workers together; 0 for no limit */
  constructor(
    private readonly services: Pick<Services, 'queues' | 'clock' | 'config' | 'log'>,
    private readonly provider: CalledProvider,
    ratePerSecond: number,
  ) {
    this.intervalMs = ratePerSecond === 0 ? 0 : 1_000 / ratePerSecond;
  }

  async turn(caller: Caller, signal = caller.signal): Promise<void> {
    const { clock } = this.services;
    const run = `${caller.companyId}:${randomUUID()}`;
    for (let now = clock.now().getTime(); ;) {
      const [granted, waitMs] = signal.aborted ? [0, 0] : await this.take(caller, run, now);
      if (granted === 0) throw snoozeFor(waitMs, clock);
      if (waitMs === 0) break;
      // It rejects only when it is aborted, which the next round of the loop sees.
      await sleep(waitMs, undefined, { ref: false, signal }).catch(() => undefined);
      now += waitMs;
    }
    this.begun.add(caller);
  }

  async hold(askedMs: number): Promise<number> {
    const { queues, clock, log } = this.services;
    const holdMs = Math.min(Math.max(Math.ceil(askedMs), MIN_HOLD_MS), MAX_HOLD_MS);
    try {
      const until = clock.now().getTime() + holdMs;
      if ((await queues.redis.eval(HOLD, 1, this.heldKey, until, holdMs)) === 1) {
        log.warn({ provider: this.provider, holdMs }, 'a provider asks for fewer requests: its jobs wait');
        // The queue of payment links has jobs of other providers.
        if (this.provider === 'email') await queues.rest(this.queue, holdMs);
      }
    } catch (error) {
      log.warn({ err: error, provider: this.provider }, 'the other workers could not be slowed down');
    }
    return holdMs;
  }

  private async take(caller: Caller, run: string, now: number): Promise<[granted: 0 | 1, waitMs: number]> {
    const { queues, log } = this.services;
    const keys = [
      this.key(`${this.queue}:turn`),
      this.heldKey,
      this.key(`${this.queue}:line`),
      this.key(`${this.queue}:last`),
    ];
    const longest = this.begun.has(caller) ? MAX_WAIT_MS.begun : MAX_WAIT_MS.toBegin;
    const given = [now, this.intervalMs, MAX_WAIT_MS.only, longest, caller.companyId, run];
    try {
      return (await queues.redis.eval(TAKE, keys.length, ...keys, ...given)) as [0 | 1, number];
    } catch (error) {
      log.debug({ err: error, provider: this.provider }, 'a run could not ask for its turn');
      return [0, UNREACHABLE_MS];
    }
  }

  private get heldKey(): string {
    return this.key(`${this.provider}:held`);
  }

  private key(name: string): string {
    return `${this.services.config.queuePrefixes[this.queue]}:pace:${name}`;
  }
}

const queueOf = (provider: CalledProvider) => (provider === 'email' ? 'email' : 'payment-link');

/** Returns how many calls all workers together make in a second, by the queue of the providers; 0 for no limit. */
export const ratesOf = ({ email, gateway }: Services['config']) => ({
  email: email.ratePerSecond,
  'payment-link': gateway.ratePerSecond,
});

/** Opens the configured rate limits. */
export function openRateLimits(services: Services): RateLimits {
  const rates = ratesOf(services.config);
  const limitOf = (name: CalledProvider): RateLimit => new ProviderRateLimit(services, name, rates[queueOf(name)]);
  return Object.fromEntries((['email', ...providerNames] as const).map((name) => [name, limitOf(name)])) as RateLimits;
}
