import { setTimeout as sleep } from 'node:timers/promises';
import { padded, placeholders, type Sql } from '../../shared/engine/db';

/** A row of an API key. */
export interface KeyRow {
  tokenHash: string;
  id: number;
  companyId: number;
  scopes: string;
  expiresAt: string | null;
  revokedAt: string | null;
}

interface Waiting {
  hash: string;
  resolve: (row: KeyRow | undefined) => void;
  reject: (error: unknown) => void;
}

/** Unknown tokens from networks over their limit cost one process at most ten statements a second. */
const PAUSE_MS = 100;
const MAX_BATCH = 1_024;

/** Reads keys by the hash of their token. */
export class KeyRows {
  private waiting: Waiting[] = [];
  private isReading = false;

  constructor(private readonly sql: Sql) {}

  /** Reads one key immediately, with a statement of its own. */
  async read(hash: string): Promise<KeyRow | undefined> {
    return (await this.readAll([hash]))[0];
  }

  /**
   * Reads one key together with all others that are requested within {@link PAUSE_MS}. However many tokens are tried, there are few
   * statements, and every existing key is found. For networks that keep sending wrong keys.
   */
  readTogether(hash: string): Promise<KeyRow | undefined> {
    const found = new Promise<KeyRow | undefined>((resolve, reject) => this.waiting.push({ hash, resolve, reject }));
    if (!this.isReading) void this.readWaiting();
    return found;
  }

  private async readWaiting(): Promise<void> {
    this.isReading = true;
    for (;;) {
      // Requests that arrive during the pause share the statement.
      await sleep(PAUSE_MS);
      const batch = this.waiting.splice(0, MAX_BATCH);
      if (batch.length === 0) break;
      await this.settle(batch);
    }
    this.isReading = false;
  }

  private async settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const rows = new Map((await this.readAll(batch.map(({ hash }) => hash))).map((row) => [row.tokenHash, row]));
      for (const { hash, resolve } of batch) resolve(rows.get(hash));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  private readAll(hashes: readonly string[]): Promise<KeyRow[]> {
    const asked = padded(hashes);
    return this.sql.rows<KeyRow>(
      `SELECT tokenHash, id, companyId, scopes, expiresAt, revokedAt FROM api_keys
        WHERE tokenHash IN (${placeholders(asked.length)})`,
      asked,
    );
  }
}
