import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock';
import type { Sql } from '../db';
import { LimitReached } from '../errors';
import { type Logger, OccasionalWarning } from '../log';

const HOUR_MS = 3_600_000;
/** Hours for which a key counts: it is kept for 24, and may begin at the end of one. */
const HOURS = 24;
/** The most usage that a process counts for a company before it reports it. */
const UNREPORTED = { used: 1_000, bytes: 8 * 1024 * 1024, ms: 10 * 60_000 };
/** How long a company stays refused after one of its keys has expired. */
const REREAD_MS = 10_000;
const MAX_COMPANIES = 10_000;

interface Usage {
  used: number;
  bytes: number;
}

interface Counted {
  /** The usage that all processes have reported, as last read. */
  known: Usage;
  readAt: number;
  /** The usage that this process has not reported yet. */
  unreported: Usage;
  isReporting: boolean;
}

/**
 * Counts how many idempotency keys each company uses, and their bytes, so that one cannot fill the database with stored responses. A count
 * in the transaction of each request would cost a statement. So each process counts by itself, and reports {@link UNREPORTED} at a time to
 * the row of the hour. One process counts exactly. Each further one may admit {@link UNREPORTED} too many.
 */
export class IdempotencyUsage {
  private readonly companies = new LRUCache<number, Counted>({
    max: MAX_COMPANIES,
    dispose: (counted, companyId, reason) => {
      if (reason === 'evict') void this.report(companyId, counted);
    },
  });
  private readonly failed = new OccasionalWarning(this.log, 'the use of idempotency keys was not recorded');

  constructor(
    private readonly sql: Sql,
    private readonly clock: Clock,
    private readonly limits: { readonly idempotencyKeys: number; readonly idempotencyBytes: number },
    private readonly log: Logger,
  ) {}

  /**
   * Counts one more key of `bytes`. `sql` belongs to the transaction that stores it.
   * @throws {LimitReached} when the company has used up its keys or bytes.
   */
  async take(sql: Sql, companyId: number, bytes: number): Promise<void> {
    const counted = this.companies.get(companyId) ?? (await this.read(sql, companyId));
    if (this.isFull(counted, bytes)) await this.readAgain(sql, companyId, counted);
    if (this.isFull(counted, bytes)) {
      const { idempotencyKeys, idempotencyBytes } = this.limits;
      throw new LimitReached(
        'idempotency_keys',
        `a company can use ${idempotencyKeys} idempotency keys, with responses of ${idempotencyBytes / 1024 / 1024} MiB, in 24 hours`,
      );
    }
    this.add(companyId, 1, bytes);
  }

  /** Adds keys and bytes to the usage of a company; negative when they become free. */
  add(companyId: number, used: number, bytes: number): void {
    const counted = this.companies.get(companyId);
    // Not counted by this process, or no longer.
    if (counted === undefined) return;
    const { unreported, readAt, isReporting } = counted;
    unreported.used += used;
    unreported.bytes += bytes;
    const isMuch = Math.abs(unreported.used) >= UNREPORTED.used || Math.abs(unreported.bytes) >= UNREPORTED.bytes;
    const isOld = this.clock.now().getTime() - readAt >= UNREPORTED.ms;
    if ((isMuch || isOld) && !isReporting) void this.report(companyId, counted);
  }

  /** Reports the usage. Never throws. */
  async close(): Promise<void> {
    const entries = [...this.companies.entries()];
    this.companies.clear();
    await Promise.all(entries.map(([companyId, counted]) => this.report(companyId, counted)));
  }

  private isFull({ known, unreported }: Counted, bytes: number): boolean {
    const { idempotencyKeys, idempotencyBytes } = this.limits;
    return known.used + unreported.used >= idempotencyKeys || known.bytes + unreported.bytes + bytes > idempotencyBytes;
  }

  /** Keys may have expired. Reads no more than once in a while, so refusals cost nothing. */
  private async readAgain(sql: Sql, companyId: number, counted: Counted): Promise<void> {
    const now = this.clock.now().getTime();
    if (counted.isReporting || now - counted.readAt < REREAD_MS) return;
    counted.readAt = now;
    counted.known = await this.total(sql, companyId);
  }

  /** Adds the usage to that of all processes, and reads the sum. Never throws. */
  private async report(companyId: number, counted: Counted): Promise<void> {
    const { used, bytes } = counted.unreported;
    counted.known = { used: counted.known.used + used, bytes: counted.known.bytes + bytes };
    counted.unreported = { used: 0, bytes: 0 };
    counted.readAt = this.clock.now().getTime();
    counted.isReporting = true;
    try {
      await this.sql.run(
        `INSERT INTO idempotency_usage (companyId, hour, used, bytes) VALUES (?, ?, ?, ?)
         ON DUPLICATE KEY UPDATE used = idempotency_usage.used + VALUES(used), bytes = idempotency_usage.bytes + VALUES(bytes)`,
        [companyId, hourOf(this.clock), used, bytes],
      );
      counted.known = await this.total(this.sql, companyId);
    } catch (error) {
      this.failed.note({ err: error, companyId });
    }
    counted.isReporting = false;
  }

  private async read(sql: Sql, companyId: number): Promise<Counted> {
    const known = await this.total(sql, companyId);
    // A request at the same time may have read it.
    const present = this.companies.get(companyId);
    if (present !== undefined) return present;
    const readAt = this.clock.now().getTime();
    const counted = { known, readAt, unreported: { used: 0, bytes: 0 }, isReporting: false };
    this.companies.set(companyId, counted);
    return counted;
  }

  private async total(sql: Sql, companyId: number): Promise<Usage> {
    const [row] = await sql.rows<Record<'used' | 'bytes', string | null>>(
      'SELECT SUM(used) AS used, SUM(bytes) AS bytes FROM idempotency_usage WHERE companyId = ? AND hour >= ?',
      [companyId, hourOf(this.clock) - HOURS],
    );
    return { used: Number(row?.used ?? 0), bytes: Number(row?.bytes ?? 0) };
  }
}

const hourOf = (clock: Clock): number => Math.floor(clock.now().getTime() / HOUR_MS);

/** Removes the rows of hours whose keys have expired. Returns how many. */
export async function removeUsage({ sql, clock }: { sql: Sql; clock: Clock }): Promise<number> {
  const firstKept = hourOf(clock) - HOURS;
  return (await sql.run('DELETE FROM idempotency_usage WHERE hour < ? LIMIT 10000', [firstKept])).affectedRows;
}
