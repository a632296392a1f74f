import type { Command } from 'commander';
import { listWorkers } from '../../shared/engine/jobs';
import { examples } from '../examples';
import type { Output } from '../output';
import { withDatabase } from '../withDatabase';

/** `workers list`. */
export function addWorkerCommands(program: Command, output: Output): void {
  program
    .command('workers')
    .description('The worker processes.')
    .command('list')
    .description('Lists the live workers. One that was killed disappears within 15 seconds.')
    .addHelpText('after', examples('workers list'))
    .action(async () => output({ data: await withDatabase(({ sql }) => listWorkers(sql)) }));
}
