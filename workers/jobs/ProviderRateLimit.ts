import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { providerNames } from '../../config/paymentProviders';
import type { Services } from '../../shared/services';
import type { Caller } from '../gateways';
import { type CalledProvider, snoozeFor, type RateLimit, type RateLimits } from './JobRun';

/**
 * How long a run waits for its call. A run that would wait longer is deferred, and frees its slot. The only run of its company may take a turn
 * that is further away: it gets an earlier one of another's.
 */
const MAX_WAIT_MS = { usual: 2_000, only: 4_000 };
/** For how long a provider's `Retry-After` stops all calls at least, also one of 0 or in the past, and at most. */
const MIN_HOLD_MS = 1_000;
const MAX_HOLD_MS = 10 * 60_000;
/** How long a run is deferred while Redis is unreachable. */
const UNREACHABLE_MS = 2_000;
/** The number of companies whose last call a process knows. */
const MOST_COMPANIES = 1_000;

/**
 * KEYS: the time of the next call, the time until which the provider wants no calls. ARGV: now, the interval between two calls, the longest
 * wait. Returns whether the call is granted, and in how many milliseconds it begins (or would begin).
 */
const TAKE = `
local now = tonumber(ARGV[1])
local held = tonumber(redis.call('GET', KEYS[2]) or '0') - now
if held > 0 then return {0, math.ceil(held)} end
local interval = tonumber(ARGV[2])
if interval == 0 then return {1, 0} end
local turn = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
local wait = math.ceil(turn - now)
if wait > tonumber(ARGV[3]) then return {0, wait} end
redis.call('SET', KEYS[1], string.format('%.3f', turn + interval), 'PX', math.ceil(wait + interval) + 1000)
return {1, wait}`;

/** KEYS: the time until which the provider wants no calls. ARGV: that time, milliseconds until then. Returns 0 if it is later already. */
const HOLD = `
if tonumber(redis.call('GET', KEYS[1]) or '0') >= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/** A run that waits for its call. */
interface Waiting {
  readonly companyId: number;
  begin(): void;
  defer(ms: number): void;
}

/** The runs of this process that share a rate. */
class Line {
  readonly waiting = new Set<Waiting>();
  /** The ordinal number of each company's last call. */
  private readonly lastCalls = new LRUCache<number, number>({ max: MOST_COMPANIES });
  private calls = 0;

  isOnly({ companyId }: Waiting): boolean {
    return [...this.waiting].filter((one) => one.companyId === companyId).length === 1;
  }

  /** Lets the run of the company begin whose last call is longest ago. */
  beginNext(): void {
    const lastCall = ({ companyId }: Waiting): number => this.lastCalls.get(companyId) ?? 0;
    const [next] = [...this.waiting].sort((one, other) => lastCall(one) - lastCall(other));
    if (next === undefined) return;
    this.lastCalls.set(next.companyId, ++this.calls);
    next.begin();
  }
}

/**
 * The rate limit of all workers' calls to one provider, by one clock in Redis. No call begins while the provider's `Retry-After` (429, 503)
 * lasts. The payment providers share one rate, and each has its own `Retry-After`.
 *
 * Each run takes one turn in Redis. When a turn has come, it goes to the company whose last call is longest ago, so that a company with one
 * run does not wait for all runs of another. The turn of a run that was aborted goes to another run, or is lost.
 */
export class ProviderRateLimit implements RateLimit {
  private readonly queue = queueOf(this.provider);
  private readonly intervalMs: number;

  /** @param ratePerSecond calls of all workers together; 0 for no limit */
  constructor(
    private readonly services: Pick<Services, 'queues' | 'clock' | 'config' | 'log'>,
    private readonly provider: CalledProvider,
    ratePerSecond: number,
    private readonly line = new Line(),
  ) {
    this.intervalMs = ratePerSecond === 0 ? 0 : 1_000 / ratePerSecond;
  }

  turn({ companyId, signal }: Caller): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        this.line.waiting.delete(waiting);
        signal.removeEventListener('abort', abort);
        then();
      };
      const waiting: Waiting = {
        companyId,
        begin: () => settle(resolve),
        defer: (ms) => settle(() => reject(snoozeFor(ms, this.services.clock))),
      };
      const abort = (): void => waiting.defer(0);
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort);
      this.line.waiting.add(waiting);
      void this.passTurn(waiting);
    });
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

  /** Takes a turn, and lets a run begin when it has come. */
  private async passTurn(waiting: Waiting): Promise<void> {
    const [granted, waitMs] = await this.take(this.line.isOnly(waiting) ? MAX_WAIT_MS.only : MAX_WAIT_MS.usual);
    if (granted === 0) {
      if (this.line.waiting.has(waiting)) return waiting.defer(waitMs);
      // It began with the turn of another, which would wait for one that never comes.
      const [other] = this.line.waiting;
      return other?.defer(0);
    }
    if (waitMs > 0) await sleep(waitMs, undefined, { ref: false });
    this.line.beginNext();
  }

  private async take(mostMs: number): Promise<[granted: 0 | 1, waitMs: number]> {
    const { queues, clock, log } = this.services;
    const now = clock.now().getTime();
    try {
      const keys = [this.key(`${this.queue}:turn`), this.heldKey];
      return (await queues.redis.eval(TAKE, 2, ...keys, now, this.intervalMs, mostMs)) as [0 | 1, number];
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
  const lines = { email: new Line(), 'payment-link': new Line() };
  const limitOf = (name: CalledProvider): RateLimit =>
    new ProviderRateLimit(services, name, rates[queueOf(name)], lines[queueOf(name)]);
  return Object.fromEntries((['email', ...providerNames] as const).map((name) => [name, limitOf(name)])) as RateLimits;
}
