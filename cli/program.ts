import { Command } from 'commander';
import { addCompanyCommands } from './companies';
import { addCountCommands } from './counts';
import { addDoctorCommand } from './doctor';
import { addFileCommands } from './files';
import { addJobCommands } from './jobs';
import { addKeyCommands } from './keys';
import { addMigrateCommands } from './migrate';
import { answer } from './output';
import { addScheduleCommands } from './schedules';

/** The operator's commands: JSON on stdout; an error is JSON on stderr with exit code 1, or 2 for a wrong command line. */
export function buildProgram(): Command {
  const program = new Command('cli')
    .description(
      'Manages the installation that DATABASE_URL and REDIS_URL name: companies, keys, migrations, jobs, schedules.',
    )
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  addCompanyCommands(program, answer);
  addKeyCommands(program, answer);
  addMigrateCommands(program, answer);
  addJobCommands(program, answer);
  addFileCommands(program, answer);
  addCountCommands(program, answer);
  addScheduleCommands(program, answer);
  addDoctorCommand(program, answer);
  return program;
}
