import type { Command } from 'commander';
import { loadConfig } from '../../config/env';
import { adoptStore, openFileStore } from '../../shared/engine/files';
import { examples } from '../examples';
import type { Output } from '../output';
import { withDatabase } from '../withDatabase';

/** `files adopt`: the store that the environment names becomes the installation's. */
export function addFileCommands(program: Command, output: Output): void {
  const files = program.command('files').description('The store of PDFs, logos and receipts.');
  files
    .command('adopt')
    .description('Accepts the configured file store as that of this installation, after a restore or a move.')
    .addHelpText('after', examples('files adopt'))
    .action(async () => {
      const store = openFileStore(loadConfig().files);
      await output(await withDatabase((work) => adoptStore(work, store)));
    });
}
