import type { Middleware } from 'koa';
import { poolUse } from '../shared/engine/db';
import { jobStates, type Signals } from '../shared/engine/jobs';
import { metrics, metricsText, metricsType } from '../shared/engine/metrics';
import { readOnly } from './middleware/readOnly';
import type { OperatorContext } from './OperatorContext';

/** The metrics of this process, and the queue signals of the installation, in the text format of Prometheus. */
export function metricsPage({ services, signals, eventLoop }: OperatorContext): Middleware {
  return readOnly(async (ctx) => {
    setSignals(await signals.read());
    const { used, free, waiting } = poolUse(services.sequelize);
    metrics.databasePool.set(used, 'used');
    metrics.databasePool.set(free, 'free');
    metrics.databasePool.set(waiting, 'waiting');
    metrics.replicaLag.clear();
    const lagSeconds = services.replica?.lagSeconds ?? null;
    if (lagSeconds !== null) metrics.replicaLag.set(lagSeconds);
    metrics.eventLoopLag.set(eventLoop.longestSeconds());
    ctx.set('Content-Type', metricsType);
    ctx.body = await metricsText();
  });
}

/** Unknown signals have no series, so that neither an alert nor a scaler reads them as 0. */
function setSignals({ queues, outboxLagSeconds, reachable }: Signals): void {
  metrics.queueJobs.clear();
  metrics.queueOldest.clear();
  metrics.queuePaused.clear();
  metrics.outboxLag.clear();
  metrics.up.set(Number(reachable.mysql), 'mysql');
  metrics.up.set(Number(reachable.redis), 'redis');
  if (outboxLagSeconds !== null) metrics.outboxLag.set(outboxLagSeconds);
  for (const queue of queues) {
    if (queue.oldestSeconds !== null) metrics.queueOldest.set(queue.oldestSeconds, queue.name);
    if (queue.paused !== null) metrics.queuePaused.set(Number(queue.paused), queue.name);
    for (const state of jobStates) {
      const jobs = queue[state];
      if (jobs !== null) metrics.queueJobs.set(jobs, queue.name, state);
    }
  }
}
