import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { heartbeatEveryMs } from '../../config/queues';
import { version } from '../../config/version';
import { pausedQueues, recordHeartbeat, removeWorker } from '../../shared/engine/jobs';
import type { Services } from '../../shared/services';
import type { WorkerPool } from './WorkerPool';

/**
 * Keeps a worker process and the operator in touch through MySQL, every three seconds: reports the process as live, and has its
 * pool pause the queues that the operator has paused.
 */
export class Presence {
  private readonly id = randomUUID();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;
  private failing = false;

  constructor(
    private readonly services: Pick<Services, 'sql' | 'log' | 'config'>,
    private readonly pool: Pick<WorkerPool, 'running' | 'pauseOnly'>,
  ) {}

  /** Starts. The pool takes no jobs before the pauses were read once. */
  start(): void {
    this.running = this.beat();
  }

  /** Stops, and removes the process from the list of live workers. Never throws. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
    await removeWorker(this.services.sql, this.id).catch((error: unknown) =>
      this.services.log.debug({ err: error }, 'the heartbeat of this worker could not be removed'),
    );
  }

  private async beat(): Promise<void> {
    const { sql, log, config } = this.services;
    const { queues, commit } = config.worker;
    try {
      this.pool.pauseOnly(new Set((await pausedQueues(sql)).keys()));
      await recordHeartbeat(sql, {
        id: this.id,
        host: hostname(),
        pid: process.pid,
        version: commit === '' ? version : `${version}+${commit}`,
        queues,
        running: this.pool.running,
      });
      this.failing = false;
    } catch (error) {
      if (!this.failing) log.warn({ err: error }, 'the heartbeat of this worker failed; it is repeated');
      this.failing = true;
    }
    if (!this.stopped) {
      this.timer = setTimeout(() => {
        this.running = this.beat();
      }, heartbeatEveryMs);
    }
  }
}
