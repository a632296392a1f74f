import { LRUCache } from 'lru-cache';
import type { Scope } from '../../shared/domain/statuses';
import { fromSqlTime, toSqlTime } from '../../shared/database/sql';
import type { Services } from '../../shared/services';
import { hashToken } from '../../shared/usecases/apiKeys/token';
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

interface Cached {
  key: KnownKey;
  until: number;
}

/** Looks API keys up by hash, caching usable ones for a few seconds; keeps `lastUsedAt` to the minute. */
export class ApiKeys {
  /** Usable keys only: wrong tokens must not push them out. */
  private readonly cache = new LRUCache<string, Cached>({ max: MAX_CACHED });
  private readonly reading = new Map<string, Promise<KnownKey | null>>();
  private readonly notedAt = new Map<number, number>();
  private readonly rows: KeyRows;

  constructor(private readonly services: Services) {
    this.rows = new KeyRows(services.sql);
  }

  /** The usable key with this token as far as it is cached, or null; reads nothing. */
  cached(token: string): KnownKey | null {
    const now = this.now();
    const cached = this.cache.get(hashToken(token));
    if (cached === undefined || cached.until <= now) return null;
    this.noteUse(cached.key, now);
    return cached.key;
  }

  /** The usable key with this token, or null. With `thrifty` it takes longer and costs next to nothing. */
  async find(token: string, { thrifty }: { thrifty: boolean }): Promise<KnownKey | null> {
    const hash = hashToken(token);
    const now = this.now();
    const reading = this.reading.get(hash) ?? this.read(hash, thrifty, now);
    this.reading.set(hash, reading);
    const key = await reading.finally(() => this.reading.delete(hash));
    if (key !== null) this.noteUse(key, now);
    return key;
  }

  private async read(hash: string, thrifty: boolean, now: number): Promise<KnownKey | null> {
    const key = this.usable(await (thrifty ? this.rows.readTogether(hash) : this.rows.read(hash)));
    if (key !== null) this.cache.set(hash, { key, until: now + CACHED_MS });
    return key;
  }

  private usable(row: KeyRow | undefined): KnownKey | null {
    if (row === undefined || row.revokedAt !== null) return null;
    if (row.expiresAt !== null && fromSqlTime(row.expiresAt).getTime() <= this.now()) return null;
    return { id: row.id, companyId: row.companyId, scopes: row.scopes.split(',') as Scope[] };
  }

  private noteUse({ id, companyId }: KnownKey, now: number): void {
    if (now - (this.notedAt.get(id) ?? 0) < NOTE_USE_EVERY_MS) return;
    this.notedAt.set(id, now);
    const at = toSqlTime(new Date(now));
    this.services.sql
      .run('UPDATE api_keys SET lastUsedAt = ? WHERE companyId = ? AND id = ?', [at, companyId, id])
      .catch((error: unknown) => this.services.log.warn({ err: error }, 'lastUsedAt was not noted'));
  }

  private now(): number {
    return this.services.clock.now().getTime();
  }
}
