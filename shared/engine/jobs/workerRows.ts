import { fromSqlTime, type Sql } from '../db';

/** A worker without a heartbeat for this long counts as dead. */
const LIVE_MS = 12_000;

/** The report of a worker process. */
export interface Heartbeat {
  /** Unique for each process, a UUID. */
  id: string;
  host: string;
  pid: number;
  version: string;
  /** The queues that it serves. */
  queues: readonly string[];
  /** The number of running jobs, PDFs and scans of the calendar included. */
  running: number;
}

/** A live worker. */
export interface WorkerRecord extends Heartbeat {
  startedAt: Date;
  heartbeatAt: Date;
}

/** Records a heartbeat, by the clock of MySQL. The first one adds the worker. */
export async function recordHeartbeat(sql: Sql, worker: Heartbeat): Promise<void> {
  const { id, host, pid, version, queues, running } = worker;
  await sql.run(
    `INSERT INTO workers (id, host, pid, version, queues, running, startedAt, heartbeatAt)
      VALUES (?, ?, ?, ?, ?, ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))
      ON DUPLICATE KEY UPDATE running = ?, heartbeatAt = UTC_TIMESTAMP(3)`,
    [id, host, pid, version, queues.join(','), running, running],
  );
}

/** Removes a worker that stops. The clean-up removes those that were killed. */
export async function removeWorker(sql: Sql, id: string): Promise<void> {
  await sql.run('DELETE FROM workers WHERE id = ?', [id]);
}

/** Returns the workers whose last heartbeat is at most 12 seconds old, the oldest first. */
export async function listWorkers(sql: Sql): Promise<WorkerRecord[]> {
  const rows = await sql.rows<WorkerRow>(
    `SELECT id, host, pid, version, queues, running, startedAt, heartbeatAt FROM workers
      WHERE heartbeatAt >= UTC_TIMESTAMP(3) - INTERVAL ? SECOND ORDER BY startedAt, id`,
    [LIVE_MS / 1_000],
  );
  return rows.map((row) => ({
    ...row,
    queues: row.queues.split(','),
    startedAt: fromSqlTime(row.startedAt),
    heartbeatAt: fromSqlTime(row.heartbeatAt),
  }));
}

type AsText = 'queues' | 'startedAt' | 'heartbeatAt';
type WorkerRow = Omit<WorkerRecord, AsText> & Record<AsText, string>;
