import { LRUCache } from 'lru-cache';
import { hashToken, type Scope } from '../../shared/apiKeys';
import { fromSqlTime, toSqlTime } from '../../shared/engine/db';
import type { Services } from '../../shared/services';
import { expiringAfter } from '../../shared/engine/clock';
import { KeyRows, type KeyRow } from './KeyRows';

export interface KnownKey {
  id: number;
  companyId: number;
  scopes: Scope[];
}

/** A revoked key stops working within this time on every process (the promise is 5 seconds). */
const CACHED_MS = 3_000;
const MAX_CACHED = 10_000;
const NOTE_USE_EVERY_MS = 60_000;
/** A key that was usable within this time is always looked up immediately: guessed tokens are not among those. */
const LATELY_MS = 10 * 60_000;

/** Looks API keys up by hash, caching usable ones for a few seconds; keeps `lastUsedAt` to the minute. */
export class ApiKeys {
  /** Usable keys only: wrong tokens must not push them out. */
  private readonly cache: LRUCache<string, KnownKey>;
  /** Hashes of the tokens that were usable lately. */
  private readonly lately: LRUCache<string, true>;
  private readonly reading = new Map<string, Promise<KnownKey | null>>();
  /** Ids of keys whose `lastUsedAt` was written within the last minute. */
  private readonly noted: LRUCache<number, true>;
  private readonly rows: KeyRows;

  constructor(private readonly services: Services) {
    this.cache = new LRUCache({ max: MAX_CACHED, ...expiringAfter(CACHED_MS, services.clock) });
    this.lately = new LRUCache({ max: MAX_CACHED, ...expiringAfter(LATELY_MS, services.clock) });
    this.noted = new LRUCache({ max: MAX_CACHED, ...expiringAfter(NOTE_USE_EVERY_MS, services.clock) });
    this.rows = new KeyRows(services.sql);
  }

  /** Returns the usable key with this token if it is cached, else null. Reads nothing. */
  cached(token: string): KnownKey | null {
    const key = this.cache.get(hashToken(token)) ?? null;
    if (key !== null) this.noteUse(key);
    return key;
  }

  /**
   * Returns the usable key with this token, or null. With `thrifty` the read costs almost nothing, but takes longer, unless the key was
   * usable lately.
   */
  async find(token: string, { thrifty }: { thrifty: boolean }): Promise<KnownKey | null> {
    const hash = hashToken(token);
    const reading = this.reading.get(hash) ?? this.read(hash, thrifty);
    this.reading.set(hash, reading);
    const key = await reading.finally(() => this.reading.delete(hash));
    if (key !== null) this.noteUse(key);
    return key;
  }

  private async read(hash: string, thrifty: boolean): Promise<KnownKey | null> {
    // The time in the cache starts before the read, because the key may be revoked during it.
    const start = this.now();
    const waits = thrifty && !this.lately.has(hash);
    const key = this.usable(await (waits ? this.rows.readTogether(hash) : this.rows.read(hash)));
    if (key === null) {
      this.lately.delete(hash);
      return null;
    }
    this.cache.set(hash, key, { start });
    this.lately.set(hash, true);
    return key;
  }

  private usable(row: KeyRow | undefined): KnownKey | null {
    if (row === undefined || row.revokedAt !== null) return null;
    if (row.expiresAt !== null && fromSqlTime(row.expiresAt).getTime() <= this.now()) return null;
    return { id: row.id, companyId: row.companyId, scopes: row.scopes.split(',') as Scope[] };
  }

  private noteUse({ id, companyId }: KnownKey): void {
    if (this.noted.has(id)) return;
    this.noted.set(id, true);
    const at = toSqlTime(this.services.clock.now());
    this.services.sql
      .run('UPDATE api_keys SET lastUsedAt = ? WHERE companyId = ? AND id = ?', [at, companyId, id])
      .catch((error: unknown) => this.services.log.warn({ err: error }, 'lastUsedAt was not written'));
  }

  private now(): number {
    return this.services.clock.now().getTime();
  }
}
