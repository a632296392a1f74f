import { setTimeout as sleep } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { loadConfig } from '../config/env';
import { jobStatuses, type JobStatus } from '../shared/kernel/jobs/Job';
import { NotFound } from '../shared/kernel/errors';
import { createLogger } from '../shared/kernel/log';
import type { Services } from '../shared/kernel/services';
import { openServices } from '../shared/openServices';
import { getJob } from '../shared/kernel/jobs/getJob';
import { listJobs } from '../shared/kernel/jobs/listJobs';
import { retryJob } from '../shared/kernel/jobs/retryJob';
import { positiveInteger } from './arguments';
import type { Output } from './output';
import { actor, withDatabase } from './withDatabase';

interface ListOptions {
  status?: JobStatus;
  company?: number;
  limit: number;
}

const REDIS_WITHIN_MS = 3_000;

/** `jobs list` and `jobs retry`, over all companies. */
export function addJobCommands(program: Command, answer: Output): void {
  const jobs = program.command('jobs').description('Background jobs, such as e-mails and payment links.');
  jobs
    .command('list')
    .description('Lists the jobs of all companies, the newest first.')
    .addOption(new Option('--status <status>', 'only jobs in this status').choices(jobStatuses))
    .option('--company <id>', 'only jobs of this company', positiveInteger)
    .option('--limit <count>', 'maximum number of jobs', positiveInteger, 50)
    .action(async ({ status, company, limit }: ListOptions) => {
      const filter = { ...(status && { status }), ...(company && { companyId: company }), limit };
      await answer({ data: await withDatabase(({ sql }) => listJobs(sql, filter)) });
    });
  jobs
    .command('retry')
    .description('Gives a failed job a new set of attempts.')
    .argument('<id>', 'id of the job', positiveInteger)
    .action(async (jobId: number) => {
      const config = loadConfig();
      const services = openServices({ config, log: createLogger('silent', actor), listenTo: [] });
      await answer(await retry(services, jobId));
    });
}

/** `queued` is false while Redis is unreachable: a worker relays the job later. */
async function retry(services: Services, jobId: number): Promise<object> {
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
