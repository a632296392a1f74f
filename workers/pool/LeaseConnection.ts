import { createConnection, type Connection, type ResultSetHeader } from 'mysql2/promise';
import { readDatabaseUrl } from '../../config/databaseUrl';
import { leases } from '../../config/queues';
import { toSqlTime } from '../../shared/kernel/database/sql';

/** A renewal without a response after this long is given up with its connection, so that the next one is still in time. */
const TIMEOUT_MS = leases.leaseMs / 4;

/** One run of a job. */
export interface RunId {
  id: number;
  attempt: number;
}

/** One turn of a webhook endpoint. */
export interface EndpointRunId {
  companyId: number;
  id: number;
  run: number;
}

/**
 * Renews leases on a MySQL connection of its own, so that a run keeps its lease while the pool is exhausted and while the
 * run's own transaction waits for a lock. Connects with the first renewal, and anew after a failure.
 */
export class LeaseConnection {
  private opened: Promise<Connection> | undefined;

  constructor(private readonly databaseUrl: string) {}

  /** Returns false when another run has claimed the job, or the job has ended. A lease never becomes shorter. */
  renew({ id, attempt }: RunId, until: Date): Promise<boolean> {
    return this.changesOne(
      "UPDATE jobs SET leaseUntil = GREATEST(leaseUntil, ?) WHERE id = ? AND attempt = ? AND status = 'running'",
      [toSqlTime(until), id, attempt],
    );
  }

  /** The same for a webhook endpoint. */
  renewEndpoint({ companyId, id, run }: EndpointRunId, until: Date): Promise<boolean> {
    return this.changesOne(
      'UPDATE webhook_endpoints SET leaseUntil = GREATEST(leaseUntil, ?) WHERE companyId = ? AND id = ? AND run = ?',
      [toSqlTime(until), companyId, id, run],
    );
  }

  /** Renewals that wait for a response fail. */
  close(): void {
    if (this.opened !== undefined) this.giveUp(this.opened);
  }

  /** Runs an UPDATE of one row. Returns whether the row was found. */
  private async changesOne(sql: string, values: readonly (string | number)[]): Promise<boolean> {
    const opened = (this.opened ??= this.open());
    try {
      // The driver counts matched rows, changed or not.
      const [result] = await (await opened).query<ResultSetHeader>({ sql, values: [...values], timeout: TIMEOUT_MS });
      return result.affectedRows === 1;
    } catch (error) {
      this.giveUp(opened);
      throw error;
    }
  }

  private async open(): Promise<Connection> {
    const { url, ssl } = readDatabaseUrl(this.databaseUrl);
    const connection = await createConnection({ uri: url, connectTimeout: TIMEOUT_MS, ...(ssl && { ssl }) });
    // Without a listener the end of an idle connection would end the process.
    connection.on('error', () => this.close());
    await connection.query({ sql: 'SET SESSION innodb_lock_wait_timeout = 1', timeout: TIMEOUT_MS });
    return connection;
  }

  private giveUp(opened: Promise<Connection>): void {
    if (this.opened === opened) this.opened = undefined;
    opened.then(
      (connection) => connection.destroy(),
      () => undefined, // It never opened: `renew` has thrown why.
    );
  }
}
