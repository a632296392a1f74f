import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue, QueueEvents, Worker } from 'bullmq';
import { RedisConnections } from '../../shared/engine/redis/RedisConnections';
import type { Bench } from '../rows/Row';

const queueName = 'round-trip';

/** Returns the milliseconds from adding a job until its end is announced, of `times` jobs of BullMQ alone. */
export async function queueRoundTrips({ installation }: Bench, times: number): Promise<number[]> {
  const { config, log } = installation.services;
  const connections = new RedisConnections(config.redisUrl, log);
  const prefix = '{round-trip}';
  const options = () => ({ connection: connections.connect('blocking'), prefix, skipVersionCheck: true });
  const queue = new Queue(queueName, options());
  const worker = new Worker(queueName, () => Promise.resolve(null), options());
  const events = new QueueEvents(queueName, options());
  await Promise.all([worker.waitUntilReady(), events.waitUntilReady()]);
  const measured: number[] = [];
  for (let index = 0; index < times; index++) {
    await sleep(20);
    const began = performance.now();
    const ended = once(events, 'completed');
    await queue.add('one', {}, { removeOnComplete: true });
    await ended;
    measured.push(performance.now() - began);
  }
  await Promise.all([worker.close(), queue.close(), events.close()]);
  return measured;
}
