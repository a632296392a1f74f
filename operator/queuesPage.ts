import type { Middleware } from 'koa';
import type { QueueSignal } from '../shared/engine/jobs';
import { readOnly } from './middleware/readOnly';
import type { OperatorContext } from './OperatorContext';

/** The queue signals as JSON. Unknown ones are null. 503 while MySQL, the source of most of them, is unreachable. */
export function queuesPage({ signals }: OperatorContext): Middleware {
  return readOnly(async (ctx) => {
    const { queues, reachable } = await signals.read();
    ctx.status = reachable.mysql ? 200 : 503;
    ctx.body = { queues: queues.map(present) };
  });
}

function present({ oldestSeconds, paused, ...signal }: QueueSignal): object {
  return { ...signal, oldest_seconds: oldestSeconds, paused };
}
