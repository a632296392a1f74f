import type { Command } from 'commander';
import { loadConfig } from '../../config/env';
import { migrateDown, migrateUp, migrationStatus } from '../../shared/engine/migrations';
import { examples } from '../examples';
import type { Output } from '../output';

/** `migrate up|down|status`: the steps that were done, by name, or those that are done and pending. */
export function addMigrateCommands(program: Command, output: Output): void {
  const migrate = program.command('migrate').description('The database schema.');
  migrate
    .command('up')
    .description('Runs the pending migrations.')
    .addHelpText('after', examples('migrate up'))
    .action(async () => output({ migrated: await migrateUp(loadConfig().databaseUrl) }));
  migrate
    .command('down')
    .description('Reverts the newest migration, and deletes the data in the tables and columns that it added.')
    .addHelpText('after', examples('migrate down'))
    .action(async () => output({ reverted: await migrateDown(loadConfig().databaseUrl) }));
  migrate
    .command('status')
    .description('Lists the migrations that are done and those that are pending. Changes nothing.')
    .addHelpText('after', examples('migrate status'))
    .action(async () => output(await migrationStatus(loadConfig().databaseUrl)));
}
