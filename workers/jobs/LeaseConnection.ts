import { createConnection, type Connection, type ResultSetHeader } from 'mysql2/promise';
import { readDatabaseUrl } from '../../config/databaseUrl';
import { leases } from '../../config/queues';
import { within } from '../../shared/engine/clock';
import { toSqlTime } from '../../shared/engine/db';

/**
 * A renewal that has not ended after this long, its connection included, is given up with the connection: two of them, and the pauses
 * of {@link Lease}, fit into the half of the lease that is left when the first one begins.
 */
const TIMEOUT_MS = leases.leaseMs / 5;

/** The errors of MariaDB and MySQL for a row that another transaction has locked. */
const lockedErrors: ReadonlySet<unknown> = new Set(['ER_LOCK_WAIT_TIMEOUT', 'ER_LOCK_NOWAIT']);
const isLocked = (error: unknown): boolean => error instanceof Error && 'code' in error && lockedErrors.has(error.code);

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
    return this.renewRow('jobs', "id = ? AND attempt = ? AND status = 'running'", [id, attempt], until);
  }

  /** The same for a webhook endpoint. */
  renewEndpoint({ companyId, id, run }: EndpointRunId, until: Date): Promise<boolean> {
    return this.renewRow('webhook_endpoints', 'companyId = ? AND id = ? AND run = ?', [companyId, id, run], until);
  }

  /** Closes the connection. Pending renewals fail. */
  close(): void {
    if (this.opened !== undefined) this.giveUp(this.opened);
  }

  /**
   * Returns whether the row was found. Fails immediately when another transaction has locked it: all other renewals wait behind this one.
   */
  private async renewRow(
    table: 'jobs' | 'webhook_endpoints',
    condition: string,
    values: readonly number[],
    until: Date,
  ): Promise<boolean> {
    await this.run(`SELECT 1 FROM ${table} WHERE ${condition} FOR UPDATE NOWAIT`, values);
    const set = 'SET leaseUntil = GREATEST(leaseUntil, ?)';
    const { affectedRows } = await this.run(`UPDATE ${table} ${set} WHERE ${condition}`, [toSqlTime(until), ...values]);
    return affectedRows === 1;
  }

  /** Runs a statement. One that is not carried out in time ends the connection, and with it all that wait behind it. */
  private async run(sql: string, values: readonly (string | number)[]): Promise<ResultSetHeader> {
    const opened = (this.opened ??= this.open());
    try {
      // The driver counts matched rows, changed or not.
      const done = opened.then((connection) => connection.query<ResultSetHeader>(sql, [...values]));
      // Of the driver's time-outs each covers one step, and none the time behind other statements of the connection.
      const [result] = await within(TIMEOUT_MS, done, 'MySQL did not renew the lease');
      return result;
    } catch (error) {
      if (!isLocked(error)) this.giveUp(opened);
      throw error;
    }
  }

  private async open(): Promise<Connection> {
    const { url, ssl } = readDatabaseUrl(this.databaseUrl);
    const connection = await createConnection({ uri: url, connectTimeout: TIMEOUT_MS, ...(ssl && { ssl }) });
    // Without a listener the end of an idle connection would end the process.
    connection.on('error', () => this.close());
    try {
      await connection.query({ sql: 'SET SESSION innodb_lock_wait_timeout = 1', timeout: TIMEOUT_MS });
    } catch (error) {
      connection.destroy();
      throw error;
    }
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
