import { Option, type Command } from 'commander';
import { jobQueueNames, type JobQueueName } from '../../config/queues';
import {
  isHeldBack,
  type JobStatus,
  jobStatuses,
  listJobs,
  pausedQueues,
  retriedStatuses,
  showJob,
} from '../../shared/engine/jobs';
import { jobContracts } from '../../shared/jobContracts';
import { instant, positiveInteger } from '../arguments';
import { examples } from '../examples';
import type { Output } from '../output';
import { withDatabase, withTransactions } from '../withDatabase';

interface Filters {
  queue?: JobQueueName;
  company?: number;
  code?: string;
  since?: Date;
  until?: Date;
}

interface ListOptions extends Filters {
  status?: JobStatus;
  before?: number;
  limit: number;
}

interface RetryOptions extends Filters {
  status?: (typeof retriedStatuses)[number];
  dryRun?: boolean;
}

const listed = [
  ...['id', 'companyId', 'queue', 'name', 'status', 'attempt', 'emailId', 'invoiceId', 'createdAt', 'endedAt'],
  'error.code',
];

/** `jobs list`, `jobs show` and `jobs retry`, over all companies. */
export function addJobCommands(program: Command, output: Output): void {
  const jobs = program.command('jobs').description('Background jobs, such as e-mails and payment links.');
  withFilters(
    jobs
      .command('list')
      .description('Lists the jobs of all companies, the newest first.')
      .addOption(new Option('--status <status>', 'only jobs in this status').choices(jobStatuses)),
  )
    .option('--before <id>', 'only jobs with a lower id: the last one of the page before', positiveInteger)
    .option('--limit <count>', 'maximum number of jobs', positiveInteger, 50)
    .addHelpText('after', examples('jobs list --status failed --queue email --since 12h', 'jobs list --before 4711'))
    .action(async ({ before, limit, ...filters }: ListOptions) => {
      const data = await withDatabase(({ sql }) => listJobs(sql, filterOf(filters), { before, limit }));
      await output({ data }, 0, listed);
    });
  jobs
    .command('show')
    .description('Shows one job: its last error, its next attempt, and whether a paused queue holds it back.')
    .argument('<id>', 'id of the job', positiveInteger)
    .addHelpText('after', examples('jobs show 14'))
    .action(async (jobId: number) => {
      const shown = await withDatabase(async ({ sql }) => {
        const job = await showJob(sql, jobId);
        return { ...job, paused: isHeldBack(job, jobContracts, await pausedQueues(sql)) };
      });
      await output(shown);
    });
  withFilters(
    jobs
      .command('retry')
      .description(
        'Gives failed jobs a new set of attempts: one by its id, or all that the options name. With --status pending, jobs ' +
          'that wait for another attempt are due now, and their attempts stay as they are.',
      )
      .argument('[id]', 'id of the job', positiveInteger)
      .addOption(
        new Option('--status <status>', 'jobs that failed (default), or that wait for another attempt').choices(
          retriedStatuses,
        ),
      ),
  )
    .option('--dry-run', 'only count the jobs, by queue and code')
    .addHelpText(
      'after',
      examples(
        'jobs retry 14',
        'jobs retry --queue email --code email_unavailable --since 12h --dry-run',
        'jobs retry --queue email --status pending',
        'jobs retry --status failed',
      ),
    )
    .action(async (jobId: number | undefined, { dryRun = false, ...filters }: RetryOptions, command: Command) => {
      const isMany = Object.keys(filters).length > 0;
      if (jobId !== undefined && (isMany || dryRun)) {
        command.error('error: jobs retry takes an id, or options that say which jobs, but not both');
      }
      if (jobId === undefined && !isMany && !dryRun) {
        command.error('error: name one job by its id, or say which by the options (all: --status failed)');
      }
      if (jobId !== undefined) {
        const { retryOne } = await import('../retryOne.js');
        return output(await retryOne(jobId));
      }
      const { retryDryRun, retryMany } = await import('../retryMany.js');
      if (dryRun) return output(await withTransactions((work) => retryDryRun(work, filterOf(filters))));
      const report = await withTransactions((work) => retryMany(work, filterOf(filters)));
      return output(report, report.interrupted ? 1 : 0);
    });
}

function withFilters(command: Command): Command {
  return command
    .addOption(new Option('--queue <name>', 'only jobs of this queue').choices(jobQueueNames))
    .option('--company <id>', 'only jobs of this company', positiveInteger)
    .option('--code <code>', 'only jobs whose last error has this code, such as email_unavailable')
    .option('--since <time>', 'only jobs that ended (or were recorded, if they have not ended) since then', instant)
    .option('--until <time>', 'only jobs before then: a time is 2027-01-31T17:00:00Z, or 90m, 12h, 3d ago', instant);
}

const filterOf = <F extends Filters>({ company, ...filters }: F) => ({ ...filters, companyId: company });
