import { Command, CommanderError } from 'commander';
import { addCompanyCommands } from './companies';
import { addFileCommands } from './files';
import { answer, fail, usageError } from './output';
import { addJobCommands } from './jobs';
import { addKeyCommands } from './keys';
import { addMigrateCommands } from './migrate';
import { addScheduleCommands } from './schedules';

/** The operator's commands: JSON on stdout; an error is JSON on stderr with exit code 1, or 2 for a wrong command line. */
function buildProgram(): Command {
  const program = new Command('cli')
    .description(
      'Companies, keys, migrations, jobs and schedules of an installation: DATABASE_URL and REDIS_URL say which.',
    )
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  addCompanyCommands(program, answer);
  addKeyCommands(program, answer);
  addMigrateCommands(program, answer);
  addJobCommands(program, answer);
  addFileCommands(program, answer);
  addScheduleCommands(program, answer);
  return program;
}

buildProgram()
  .parseAsync()
  .catch((error: unknown) => {
    if (!(error instanceof CommanderError)) return fail(error);
    // Help was asked for, and is on stdout by now.
    return error.exitCode === 0 ? undefined : usageError(error);
  });
