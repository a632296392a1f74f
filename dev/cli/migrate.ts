import type { Command } from 'commander';
import { loadConfig } from '../../config/env';
import { migrateDown, migrateUp, migrationStatus } from '../../shared/database/migrate';
import type { Output } from './output';

/** `migrate up|down|status`: the steps that were done, by name, or those that are done and pending. */
export function addMigrateCommands(program: Command, answer: Output): void {
  const migrate = program.command('migrate').description('the schema of the database');
  migrate
    .command('up')
    .description('run what has not run yet')
    .action(async () => answer({ migrated: await migrateUp(loadConfig().databaseUrl) }));
  migrate
    .command('down')
    .description('take the newest migration back, with the data that it made room for')
    .action(async () => answer({ reverted: await migrateDown(loadConfig().databaseUrl) }));
  migrate
    .command('status')
    .description('what has run and what has not')
    .action(async () => answer(await migrationStatus(loadConfig().databaseUrl)));
}
