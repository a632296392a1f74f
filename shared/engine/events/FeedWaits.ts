import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Sql } from '../db';
import { TooManyRequests } from '../errors';
import type { Logger } from '../log';
import type { EventSignals, NewestEvents } from './EventSignals';
import { newestEvents } from './feed';

/** Requests of one company that wait at one process. */
const MAX_WAITING = 64;
/** How often to read MySQL while requests wait: reports are lost while Redis is unreachable. */
const LOOK_EVERY_MS = 2_000;

/**
 * Requests that wait for an event of their company. All of them are woken by one subscription to the reports of the sequencer; every two
 * seconds one query finds events whose report was lost.
 */
export class FeedWaits {
  private readonly waiting = new Map<number, Set<AbortController>>();
  /** The newest reported event of companies. */
  private readonly newest = new LRUCache<number, number>({ max: 10_000 });
  private isClosing = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sql: Sql,
    private readonly signals: EventSignals,
    private readonly log: Logger,
  ) {}

  /**
   * Waits until the company has an event after `after`, at most `timeoutMs`. Also ends when `gone` is aborted or the process stops.
   * @throws {TooManyRequests} `too_many_requests` when too many requests of the company wait.
   */
  async wait(companyId: number, after: number, timeoutMs: number, gone: AbortSignal): Promise<void> {
    if (this.isClosing || gone.aborted || this.newestOf(companyId) > after) return;
    const waiting = this.waiting.get(companyId) ?? new Set();
    if (waiting.size >= MAX_WAITING) {
      throw new TooManyRequests('too_many_requests', 'too many requests of this company wait for an event', 1);
    }
    this.waiting.set(companyId, waiting);
    this.timer ??= setInterval(() => void this.look(), LOOK_EVERY_MS);
    const woken = new AbortController();
    waiting.add(woken);
    // It rejects when it is ended before its time.
    await sleep(timeoutMs, undefined, { signal: AbortSignal.any([gone, woken.signal]) }).catch(() => undefined);
    waiting.delete(woken);
    if (waiting.size === 0 && this.waiting.get(companyId) === waiting) this.waiting.delete(companyId);
    if (this.waiting.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Returns the newest reported event of a company; 0 for none. */
  newestOf(companyId: number): number {
    return this.newest.get(companyId) ?? 0;
  }

  /** Ends all present and future waiting. */
  endWaiting(): void {
    this.isClosing = true;
    for (const waiting of this.waiting.values()) for (const woken of waiting) woken.abort();
  }

  /** Receives reports from now on. Called once, before the first wait. */
  listen(): void {
    this.signals.onNumbered((newest) => this.wake(newest));
  }

  private wake(newest: NewestEvents): void {
    for (const [companyId, number] of newest) {
      if (number <= this.newestOf(companyId)) continue;
      this.newest.set(companyId, number);
      for (const woken of this.waiting.get(companyId) ?? []) woken.abort();
    }
  }

  private async look(): Promise<void> {
    try {
      this.wake(await newestEvents(this.sql, [...this.waiting.keys()]));
    } catch (error) {
      this.log.warn({ err: error }, 'new events could not be looked for');
    }
  }
}
