import { setTimeout as sleep } from 'node:timers/promises';

/** The rule of an autoscaler: KEDA's metrics-api scaler on `oldest_seconds` with the target type `AverageValue`. */
export interface Rule {
  /** One worker for each this many seconds that the oldest due job waits. */
  targetSeconds: number;
  most: number;
  pollMs: number;
  /** How long fewer workers must have been enough before one is stopped. */
  cooldownMs: number;
}

/** A worker that was started. */
export interface RunningWorker {
  stop(): Promise<void>;
}

/** Starts and stops workers by a rule, at least one. */
export class Autoscaler {
  private readonly workers: RunningWorker[] = [];
  private stopped = false;
  private loop: Promise<void> = Promise.resolve();
  /** The most workers that ran at the same time. */
  most = 0;

  constructor(
    private readonly rule: Rule,
    private readonly oldestSeconds: () => Promise<number>,
    private readonly startWorker: () => Promise<RunningWorker>,
  ) {}

  get count(): number {
    return this.workers.length;
  }

  /** Starts the first worker and follows the rule from then on. */
  async start(): Promise<void> {
    await this.add();
    this.loop = this.follow();
  }

  /** Stops all workers. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.loop;
    await Promise.all(this.workers.map((worker) => worker.stop()));
  }

  private async follow(): Promise<void> {
    let enoughSince = performance.now();
    while (!this.stopped) {
      await sleep(this.rule.pollMs);
      const { targetSeconds, most, cooldownMs } = this.rule;
      const wanted = Math.min(most, Math.max(1, Math.ceil((await this.oldestSeconds()) / targetSeconds)));
      if (wanted >= this.count) enoughSince = performance.now();
      while (this.count < wanted) await this.add();
      if (performance.now() - enoughSince > cooldownMs) {
        await this.workers.pop()?.stop();
        enoughSince = performance.now();
      }
    }
  }

  private async add(): Promise<void> {
    this.workers.push(await this.startWorker());
    this.most = Math.max(this.most, this.count);
  }
}
