import { createConnection, type Connection, type ResultSetHeader } from 'mysql2/promise';
import { readDatabaseUrl } from '../../config/databaseUrl';
import { leases } from '../../config/queues';
import { toSqlTime } from '../../shared/engine/db';

/**
 * A try that has not ended after this long, its connection included, is given up with the connection: the two of a renewal, and the pause
 * of {@link Lease} after them, fit into the half of the lease that is left when the first one begins.
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
 * run's own transaction waits for a lock. One renewal is carried out at a time, and the others wait. One that fails with its connection is
 * tried once more on a new one, so it costs those behind it nothing but time.
 */
export class LeaseConnection {
  private opened: Promise<Connection> | undefined;
  private isClosed = false;
  /** Ends with the last renewal. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly databaseUrl: string) {}

  /** Returns false when another run has claimed the job, or the job has ended. A lease never becomes shorter. */
  renew({ id, attempt }: RunId, until: Date): Promise<boolean> {
    return this.renewRow('jobs', "id = ? AND attempt = ? AND status = 'running'", [id, attempt], until);
  }

  /** The same for a webhook endpoint. */
  renewEndpoint({ companyId, id, run }: EndpointRunId, until: Date): Promise<boolean> {
    return this.renewRow('webhook_endpoints', 'companyId = ? AND id = ? AND run = ?', [companyId, id, run], until);
  }

  /** Closes the connection. Pending renewals fail, and so do later ones. */
  close(): void {
    this.isClosed = true;
    if (this.opened !== undefined) this.giveUp(this.opened);
  }

  /**
   * Returns whether the row was found. Fails immediately when another transaction has locked it: all other renewals wait behind this one.
   */
  private renewRow(
    table: 'jobs' | 'webhook_endpoints',
    condition: string,
    values: readonly number[],
    until: Date,
  ): Promise<boolean> {
    const lock = `SELECT 1 FROM ${table} WHERE ${condition} FOR UPDATE NOWAIT`;
    const extend = `UPDATE ${table} SET leaseUntil = GREATEST(leaseUntil, ?) WHERE ${condition}`;
    const renew = async (connection: Connection): Promise<boolean> => {
      await connection.query(lock, [...values]);
      // The driver counts matched rows, changed or not.
      const [{ affectedRows }] = await connection.query<ResultSetHeader>(extend, [toSqlTime(until), ...values]);
      return affectedRows === 1;
    };
    const renewal = this.last
      .then(() => this.attempt(renew))
      .catch((error: unknown) => {
        if (isLocked(error)) throw error;
        return this.attempt(renew);
      });
    // The next renewal begins after this one, however it ended; its error goes to its own caller.
    this.last = renewal.catch(() => undefined);
    return renewal;
  }

  /** Runs `work`. If it is not done in time, or fails otherwise than by a lock, its connection is given up. */
  private async attempt<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.isClosed) throw new Error('no lease is renewed any more: the process stops');
    const opened: Promise<Connection> = (this.opened ??= this.open(() => this.giveUp(opened)));
    let timer: NodeJS.Timeout | undefined;
    // Of the driver's time-outs each covers one step.
    const late = new Promise<never>((_, reject) => {
      const fail = (): void => reject(new Error(`MySQL did not renew the lease within ${TIMEOUT_MS} ms`));
      // In a process that was busy all the time, the response has arrived and is read first.
      timer = setTimeout(() => setImmediate(fail), TIMEOUT_MS);
    });
    try {
      return await Promise.race([opened.then(work), late]);
    } catch (error) {
      if (!isLocked(error)) this.giveUp(opened);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param broken called when the connection breaks while it is idle */
  private async open(broken: () => void): Promise<Connection> {
    const { url, ssl } = readDatabaseUrl(this.databaseUrl);
    const connection = await createConnection({ uri: url, connectTimeout: TIMEOUT_MS, ...(ssl && { ssl }) });
    // Without a listener the end of an idle connection would end the process.
    connection.on('error', broken);
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
