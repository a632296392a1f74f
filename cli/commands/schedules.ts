import { InvalidArgumentError, Option, type Command } from 'commander';
import { loadConfig } from '../../config/env';
import { readDate, type DateOnly } from '../../shared/dates/dates';
import { createLogger } from '../../shared/engine/log';
import { openServices } from '../../shared/openServices';
import { getCompany } from '../../shared/companies';
import {
  previewSchedules,
  runSchedules,
  scheduleNames,
  type ScheduleName,
  SchedulesReport,
} from '../../shared/schedules';
import { positiveInteger } from '../arguments';
import { examples } from '../examples';
import { problemOf, type Output } from '../output';
import { Progress } from '../Progress';
import { actor } from '../withDatabase';

interface RunOptions {
  asOf?: DateOnly;
  company?: number;
  only?: ScheduleName;
  dryRun?: boolean;
}

/** `schedules run`: runs the scheduled tasks of the workers now or as of a date, for all companies or one. */
export function addScheduleCommands(program: Command, output: Output): void {
  program
    .command('schedules')
    .description('Recurring expenses and invoices, overdue invoices and reminders.')
    .command('run')
    .description(
      'Creates the occurrences that are due, marks overdue invoices and requests the reminders of the day, in all companies or one. Exit code 1 if a series failed.',
    )
    .option('--as-of <date>', 'run as if it were this day after 09:00 in every company, YYYY-MM-DD (default: now)', day)
    .option('--company <id>', 'only this company', positiveInteger)
    .addOption(new Option('--only <part>', 'only this part').choices(scheduleNames))
    .option('--dry-run', 'only report what would be done')
    .addHelpText(
      'after',
      examples(
        'schedules run --dry-run',
        'schedules run --as-of 2027-12-31 --dry-run',
        'schedules run --company 1 --only overdue --dry-run',
      ),
    )
    .action(async ({ asOf: given, company: companyId, only, dryRun = false }: RunOptions) => {
      const asOf = given ?? null;
      const services = openServices({ config: loadConfig(), log: createLogger('silent', actor), listenTo: [] });
      if (companyId !== undefined) await getCompany(services.sql, companyId);
      const progress = new Progress('occurrences, overdue invoices and reminders', null);
      const observer = new SchedulesReport((done) => progress.show(done));
      // Waits for series that another process has locked, so that no due series is skipped.
      const scan = { services, asOf, companyId, wait: true, observer };
      let error: unknown = null;
      await (dryRun ? previewSchedules : runSchedules)(scan, only && [only]).catch((reason: unknown) => {
        if (observer.isEmpty) throw reason;
        // Committed work stays, so it is reported together with the error.
        error = reason;
      });
      progress.end();
      const report = { asOf, dryRun, ...observer.toJSON(), ...(error !== null && { error: problemOf(error) }) };
      await output(report, error !== null || observer.hasFailures ? 1 : 0);
    });
}

function day(text: string): DateOnly {
  const date = readDate(text);
  if (date === null) throw new InvalidArgumentError('It must be a day of the calendar, YYYY-MM-DD.');
  return date;
}
