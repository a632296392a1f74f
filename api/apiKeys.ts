import type { Scope } from '../shared/domain/statuses';
import { fromSqlTime, toSqlTime } from '../shared/database/sql';
import type { Services } from '../shared/services';
import { hashToken } from '../shared/usecases/apiKeys/token';

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
  key: Promise<KnownKey | null>;
  until: number;
}

interface KeyRow {
  id: number;
  companyId: number;
  scopes: string;
  expiresAt: string | null;
  revokedAt: string | null;
}

/** Looks API keys up by hash, remembering each for a few seconds; keeps `lastUsedAt` to the minute. */
export class ApiKeys {
  private readonly cache = new Map<string, Cached>();
  private readonly notedAt = new Map<number, number>();

  constructor(private readonly services: Services) {}

  /** The usable key with this token, or null. */
  async find(token: string): Promise<KnownKey | null> {
    const now = this.services.clock.now().getTime();
    const hash = hashToken(token);
    let cached = this.cache.get(hash);
    if (cached === undefined || cached.until <= now) {
      cached = { key: this.load(hash), until: now + CACHED_MS };
      this.remember(hash, cached);
    }
    const key = await cached.key;
    if (key !== null) this.noteUse(key, now);
    return key;
  }

  private remember(hash: string, cached: Cached): void {
    this.cache.delete(hash);
    if (this.cache.size >= MAX_CACHED) this.cache.delete(this.cache.keys().next().value ?? '');
    this.cache.set(hash, cached);
    // Only usable keys are worth the memory, and a failed look-up is no answer.
    cached.key.then(
      (key) => key === null && this.cache.delete(hash),
      () => this.cache.delete(hash),
    );
  }

  private async load(hash: string): Promise<KnownKey | null> {
    const [row] = await this.services.sql.rows<KeyRow>(
      'SELECT id, companyId, scopes, expiresAt, revokedAt FROM api_keys WHERE tokenHash = ?',
      [hash],
    );
    if (row === undefined || row.revokedAt !== null) return null;
    if (row.expiresAt !== null && fromSqlTime(row.expiresAt) <= this.services.clock.now()) return null;
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
}
