import type { Clock } from '../clock';
import type { Logger } from '../log';
import type { Sql } from './sql';

const COMPARE_EVERY_MS = 15_000;
/** A larger difference is logged as a wrong clock of the machine. */
const REPORTED_MS = 1_000;

/**
 * MySQL's time, computed in this process: the machine's monotonic clock plus its measured difference to MySQL. All processes of
 * an installation agree on it, so due times and leases are right even where a machine's own clock is wrong or jumps.
 */
export class DatabaseClock implements Clock {
  /** The machine's time at the start of the process. The monotonic clock counts from there. */
  private readonly startedAt = Date.now() - performance.now();
  private ahead: number | null = null;
  private reported = false;

  constructor(private readonly log: Logger) {}

  now(): Date {
    return new Date(Math.round(this.steadyNow() + (this.ahead ?? 0)));
  }

  /** Milliseconds by which MySQL's clock is ahead of the machine's (negative: behind); null before the first comparison. */
  get offsetMs(): number | null {
    return this.ahead === null ? null : Math.round(this.now().getTime() - Date.now());
  }

  /** Compares with MySQL's time; `read` runs one statement. @throws what `read` throws. */
  async compare(read: (sql: string) => Promise<readonly { now: string }[]>): Promise<void> {
    const before = this.steadyNow();
    const [row] = await read('SELECT CAST(UNIX_TIMESTAMP(NOW(6)) AS CHAR) AS now');
    const after = this.steadyNow();
    // MySQL has read its clock at some time between the two.
    const uncertainty = (after - before) / 2 + 1;
    const measured = Number(row?.now) * 1_000 - (before + after) / 2;
    if (this.ahead === null || Math.abs(measured - this.ahead) > uncertainty) this.ahead = measured;
    this.report();
  }

  /**
   * Compares if no comparison was made yet; for work that reads the clock before its first statement.
   * @throws like {@link compare}.
   */
  async ensureCompared(sql: Sql): Promise<void> {
    if (this.ahead === null) await this.compare((text) => sql.rows(text));
  }

  /** Compares every 15 seconds, until the returned function is called. */
  follow(sql: Sql): () => void {
    const timer = setInterval(() => {
      this.compare((text) => sql.rows(text)).catch((error: unknown) =>
        this.log.debug({ err: error }, 'the clock of MySQL could not be read'),
      );
    }, COMPARE_EVERY_MS).unref();
    return () => clearInterval(timer);
  }

  private report(): void {
    const offsetMs = this.offsetMs ?? 0;
    const differs = Math.abs(offsetMs) > REPORTED_MS;
    if (differs === this.reported) return;
    this.reported = differs;
    if (differs) this.log.warn({ offsetMs }, 'the clock of this machine differs from that of MySQL, which is followed');
    else this.log.info({ offsetMs }, 'the clock of this machine agrees with that of MySQL again');
  }

  private steadyNow(): number {
    return this.startedAt + performance.now();
  }
}
