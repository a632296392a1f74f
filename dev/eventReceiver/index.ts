import { runStandIn } from '../runStandIn';
import { startEventReceiver } from './server';

const { env } = process;

runStandIn(
  () =>
    startEventReceiver({
      port: Number(env.EVENT_RECEIVER_PORT ?? 0),
      secrets: env.EVENT_RECEIVER_SECRET ? [env.EVENT_RECEIVER_SECRET] : [],
    }),
  ({ port }) => ({ port }),
);
