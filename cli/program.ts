import { Command } from 'commander';
import { output, jsonOption, type Output } from './output';

type AddCommands = (program: Command, output: Output) => void;

/** The groups of commands. Only the one that is called is loaded: loading all of them takes several times as long as a short command. */
const groups: Readonly<Record<string, () => Promise<AddCommands>>> = {
  companies: async () => (await import('./commands/companies.js')).addCompanyCommands,
  keys: async () => (await import('./commands/keys.js')).addKeyCommands,
  migrate: async () => (await import('./commands/migrate.js')).addMigrateCommands,
  workers: async () => (await import('./commands/workers.js')).addWorkerCommands,
  queues: async () => (await import('./commands/queues.js')).addQueueCommands,
  jobs: async () => (await import('./commands/jobs.js')).addJobCommands,
  emails: async () => (await import('./commands/emails.js')).addEmailCommands,
  links: async () => (await import('./commands/links.js')).addLinkCommands,
  backup: async () => (await import('./backup/index.js')).addBackupCommands,
  files: async () => (await import('./commands/files.js')).addFileCommands,
  counts: async () => (await import('./commands/counts.js')).addCountCommands,
  secrets: async () => (await import('./commands/secrets.js')).addSecretCommands,
  doctor: async () => (await import('./doctor/index.js')).addDoctorCommand,
  schedules: async () => (await import('./commands/schedules.js')).addScheduleCommands,
};

/**
 * The operator's commands: text on a terminal, JSON in a pipe; an error is on stderr with exit code 1, or 2 for a wrong command
 * line.
 * @param group the only group that is needed; all are loaded without it, or when there is none of this name
 */
export async function buildProgram(group = ''): Promise<Command> {
  const program = new Command('cli')
    .description(
      'Manages the installation that DATABASE_URL and REDIS_URL name: companies, keys, migrations, workers, queues, jobs, schedules.',
    )
    // Of the program, so that no command takes the format of its output for one of its own fields.
    .option(jsonOption, 'print JSON on a terminal, too')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  const only = groups[group];
  for (const load of only === undefined ? Object.values(groups) : [only]) (await load())(program, output);
  return program;
}

/** Returns the commands that do something, each with its path such as `migrate up`, and not those that only group others. */
export function leavesOf(group: Command, parents: readonly string[] = []): { path: string; command: Command }[] {
  return group.commands.flatMap((command) => {
    const path = [...parents, command.name()];
    return command.commands.length > 0 ? leavesOf(command, path) : [{ path: path.join(' '), command }];
  });
}
