import { setTimeout as sleep } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { loadConfig } from '../../config/env';
import { Job } from '../../shared/database/models';
import { jobStatuses, type JobStatus } from '../../shared/database/models/Job';
import { NotFound } from '../../shared/errors';
import { createLogger } from '../../shared/log';
import { openServices, type Services } from '../../shared/services';
import { getJob } from '../../shared/usecases/jobs/getJob';
import { listJobs } from '../../shared/usecases/jobs/listJobs';
import { retryJob } from '../../shared/usecases/jobs/retryJob';
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
  const jobs = program.command('jobs').description('e-mails, payment links and what else happens in the background');
  jobs
    .command('list')
    .description('the jobs, the newest first')
    .addOption(new Option('--status <status>').choices(jobStatuses))
    .option('--company <id>', 'of one company only', positiveInteger)
    .option('--limit <count>', 'at most so many', positiveInteger, 50)
    .action(async ({ status, company, limit }: ListOptions) => {
      const filter = { ...(status && { status }), ...(company && { companyId: company }), limit };
      await answer({ data: await withDatabase(() => listJobs(filter)) });
    });
  jobs
    .command('retry')
    .description('give a failed job a new set of attempts')
    .argument('<id>', 'the id of the job', positiveInteger)
    .action(async (jobId: number) => {
      const config = loadConfig();
      const services = openServices({ config, log: createLogger('silent', actor), listenTo: [] });
      await answer(await retry(services, jobId));
    });
}

/** `queued` is false while Redis is away: the workers find the job by themselves once it is back. */
async function retry(services: Services, jobId: number): Promise<object> {
  const job = await Job.findOne({ where: { id: jobId } });
  if (job === null) throw new NotFound('job');
  const { companyId } = job;
  const { redis, isConnected } = services.queues;
  const ready = new Promise((resolve) => redis.once('ready', resolve));
  if (!isConnected) await Promise.race([ready, sleep(REDIS_WITHIN_MS)]);
  const { id } = await services.perform({ companyId, actor }, (uow) => retryJob(uow, jobId));
  const queued = await services.outbox.isQueued(id);
  return { companyId, ...(await getJob(companyId, id)), queued };
}
