import type { Command } from 'commander';
import { loadConfig } from '../../config/env';
import { openFileStore } from '../../shared/engine/files';
import { examples } from '../examples';
import type { Output } from '../output';
import { createBackup } from './createBackup';
import { restoreBackup } from './restoreBackup';

/** `backup create` and `backup restore`: the database and the files together. */
export function addBackupCommands(program: Command, output: Output): void {
  const backup = program.command('backup').description('Backups of the database and the files together.');
  backup
    .command('create')
    .description('Writes the database and all files into one archive, while the service runs.')
    .argument('<target>', 'the archive; or an existing folder, in which it gets a name with the time')
    .option('--without-pdfs', 'leave out the cached PDFs, which are rendered again when they are requested')
    .addHelpText(
      'after',
      examples('backup create /var/backups/invoicing', 'backup create --without-pdfs before-upgrade.tar'),
    )
    .action(async (target: string, { withoutPdfs = false }: { withoutPdfs?: boolean }) => {
      const { databaseUrl, files } = loadConfig();
      await output(await createBackup({ databaseUrl, store: openFileStore(files), target, withPdfs: !withoutPdfs }));
    });
  backup
    .command('restore')
    .description('Verifies an archive, and restores it into an empty database and an empty file store.')
    .argument('<archive>', 'the archive')
    .addHelpText('after', examples('backup restore /var/backups/invoicing/invoicing-2026-11-22T02-00-00Z.tar'))
    .action(async (path: string) => {
      const { databaseUrl, files } = loadConfig();
      await output(await restoreBackup({ databaseUrl, store: openFileStore(files), path }));
    });
}
