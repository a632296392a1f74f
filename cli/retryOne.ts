import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../config/env';
import { NotFound } from '../shared/kernel/errors';
import { getJob } from '../shared/kernel/jobs/getJob';
import { retryJob } from '../shared/kernel/jobs/retryJob';
import { createLogger } from '../shared/kernel/log';
import { openServices } from '../shared/openServices';
import { actor } from './withDatabase';

const REDIS_WITHIN_MS = 3_000;

/** Retries one job and queues it. `queued` is false while Redis is unreachable: a worker relays the job later. */
export async function retryOne(jobId: number): Promise<object> {
  const services = openServices({ config: loadConfig(), log: createLogger('silent', actor), listenTo: [] });
  const { sql, jobContracts, queues } = services;
  const [job] = await sql.rows<{ companyId: number }>('SELECT companyId FROM jobs WHERE id = ?', [jobId]);
  if (job === undefined) throw new NotFound('job');
  const { companyId } = job;
  const { redis, isConnected } = queues;
  const ready = new Promise((resolve) => redis.once('ready', resolve));
  if (!isConnected) await Promise.race([ready, sleep(REDIS_WITHIN_MS)]);
  const { id } = await services.perform({ companyId, actor }, (uow) => retryJob(uow, jobContracts, jobId));
  const queued = await services.outbox.isQueued(id);
  return { companyId, ...(await getJob(sql, companyId, id)), queued };
}
