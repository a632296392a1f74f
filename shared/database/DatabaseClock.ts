import type { Clock } from '../clock';
import type { Logger } from '../log';
import type { Sql } from './sql';

const COMPARE_EVERY_MS = 15_000;
/** A larger difference is reported: the machine's clock is wrong. */
const REPORTED_MS = 1_000;

/**
 * MySQL's clock, kept in this process: the machine's steady clock plus its measured difference to MySQL. All processes of an
 * installation agree on it, so due times and leases hold also where a machine's own clock is wrong or jumps.
 */
export class DatabaseClock implements Clock {
  /** Of the machine when the process started; what passes since then is counted by a clock that never jumps. */
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

  /** Asks MySQL for its time; `read` runs one statement. @throws what `read` throws. */
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

  /** Compares unless that was done before; for work that reads the clock before its first statement. @throws like {@link compare}. */
  async ensureCompared(sql: Sql): Promise<void> {
    if (this.ahead === null) await this.compare((text) => sql.rows(text));
  }

  /** Compares every 15 seconds, until the returned function is called. */
  follow(sql: Sql): () => void {
    const timer = setInterval(() => {
      this.compare((text) => sql.rows(text)).catch((error: unknown) =>
        this.log.debug({ err: error }, 'the clock could not be compared with MySQL'),
      );
    }, COMPARE_EVERY_MS).unref();
    return () => clearInterval(timer);
  }

  private report(): void {
    const offsetMs = this.offsetMs ?? 0;
    const differs = Math.abs(offsetMs) > REPORTED_MS;
    if (differs !== this.reported) {
      if (differs)
        this.log.warn({ offsetMs }, 'the clock of this machine differs from that of MySQL, which is followed');
      else this.log.info({ offsetMs }, 'the clock of this machine agrees with that of MySQL again');
    }
    this.reported = differs;
  }

  private steadyNow(): number {
    return this.startedAt + performance.now();
  }
}
