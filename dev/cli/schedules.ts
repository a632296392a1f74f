import { InvalidArgumentError, type Command } from 'commander';
import { loadConfig } from '../../config/env';
import { readDate, type DateOnly } from '../../shared/domain/dates';
import { createLogger } from '../../shared/log';
import { openServices } from '../../shared/services';
import { previewSchedules, runSchedules } from '../../shared/usecases/recurrence/runSchedules';
import { problemOf, type Output } from './output';
import { SchedulesReport } from './SchedulesReport';
import { actor } from './withDatabase';

interface RunOptions {
  asOf?: DateOnly;
  dryRun?: boolean;
}

/** `schedules run`: what the workers do by the clock, now or as of a date, for all companies. */
export function addScheduleCommands(program: Command, answer: Output): void {
  program
    .command('schedules')
    .description('recurring expenses and invoices, and overdue invoices')
    .command('run')
    .description('make everything that is due and has not been made')
    .option(
      '--as-of <date>',
      'as if it were this day in every company, YYYY-MM-DD (default: each company’s today)',
      day,
    )
    .option('--dry-run', 'say what would be done, and do nothing')
    .action(async ({ asOf: given, dryRun = false }: RunOptions) => {
      const asOf = given ?? null;
      const services = openServices({ config: loadConfig(), log: createLogger('silent', actor), listenTo: [] });
      const observer = new SchedulesReport();
      // What another process has in hand is waited for: once this has ended, nothing is left that was due.
      const sweep = { services, asOf, wait: true, observer };
      let error: unknown = null;
      await (dryRun ? previewSchedules(sweep) : runSchedules(sweep)).catch((reason: unknown) => {
        if (observer.isEmpty) throw reason;
        // What is done by then stays done, and is told.
        error = reason;
      });
      const report = { asOf, dryRun, ...observer.toJSON(), ...(error !== null && { error: problemOf(error) }) };
      await answer(report, error !== null || observer.hasFailures ? 1 : 0);
    });
}

function day(text: string): DateOnly {
  const date = readDate(text);
  if (date === null) throw new InvalidArgumentError('It must be a day of the calendar, YYYY-MM-DD.');
  return date;
}
