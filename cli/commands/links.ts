import type { Command } from 'commander';
import { NotFound } from '../../shared/engine/errors';
import { syncOpenLinks } from '../../shared/paymentLinks';
import { positiveInteger } from '../arguments';
import { examples } from '../examples';
import type { Output } from '../output';
import { withTransactions } from '../withDatabase';

/** `links sync`. */
export function addLinkCommands(program: Command, output: Output): void {
  program
    .command('links')
    .description('Payment links.')
    .command('sync')
    .description('Has the workers ask the gateway now what became of open links. Prints how many.')
    .option('--invoice <id>', 'only the links of this invoice (default: all open links)', positiveInteger)
    .addHelpText('after', examples('links sync', 'links sync --invoice 17'))
    .action(async ({ invoice }: { invoice?: number }) => {
      const recorded = await withTransactions(async ({ ofInstallation }) => {
        if (invoice !== undefined) {
          const text = 'SELECT id FROM invoices WHERE id = ?';
          const found = await ofInstallation(({ sql }) => sql.rows(text, [invoice]));
          if (found.length === 0) throw new NotFound('invoice');
        }
        let total = 0;
        for (let after: number | null = 0; after !== null;) {
          const from: number = after;
          const batch = await ofInstallation((work) => syncOpenLinks(work, from, invoice));
          total += batch.recorded;
          after = batch.next;
        }
        return total;
      });
      await output({ recorded });
    });
}
