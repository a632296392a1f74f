import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../config/env';
import { getJob, retryJob, showJob } from '../shared/engine/jobs';
import { createLogger } from '../shared/engine/log';
import { openServices } from '../shared/openServices';
import { CliError } from './CliError';
import { actor } from './withDatabase';

const REDIS_WITHIN_MS = 3_000;

/**
 * Retries one job and queues it. `queued` is false while Redis is unreachable: a worker relays the job later.
 * @throws {NotFound}; {@link Conflict} `job_not_failed`; for an uncertain job {@link CliError} of the same code, which says how to
 * settle its e-mail.
 */
export async function retryOne(jobId: number): Promise<object> {
  const services = openServices({ config: loadConfig(), log: createLogger('silent', actor), listenTo: [] });
  const { sql, jobContracts, queues } = services;
  const { companyId, status, emailId } = await showJob(sql, jobId);
  if (status === 'uncertain') {
    throw new CliError(
      'job_not_failed',
      `job ${jobId} is uncertain: it may have been carried out. Find out at the provider, then run ` +
        `\`emails settle ${emailId} --outcome sent\`, or \`--outcome not_sent\`, after which it can be retried.`,
    );
  }
  const { redis, isConnected } = queues;
  const ready = new Promise((resolve) => redis.once('ready', resolve));
  if (!isConnected) await Promise.race([ready, sleep(REDIS_WITHIN_MS)]);
  const { id } = await services.perform({ companyId, actor }, (uow) => retryJob(uow, jobContracts, jobId));
  const queued = await services.outbox.isQueued(id);
  return { companyId, ...(await getJob(sql, companyId, id)), queued };
}
