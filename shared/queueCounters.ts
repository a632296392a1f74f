import type { QueueCounter } from './engine/jobs';
import { deliveryCounter } from './webhooks';

/** Counts the queues whose work stands neither in `jobs` nor in Redis. */
export const queueCounters: readonly QueueCounter[] = [deliveryCounter];
