import type { Command } from 'commander';
import { allCompanies } from '../../shared/engine/db';
import { verifyCounts } from '../../shared/engine/records';
import { positiveInteger } from '../arguments';
import { examples } from '../examples';
import type { Output } from '../output';
import { Progress } from '../Progress';
import { withTransactions } from '../withDatabase';

interface VerifyOptions {
  company?: number;
  repair?: boolean;
}

/** `counts verify`: compares the kept totals of lists with the records. */
export function addCountCommands(program: Command, output: Output): void {
  program
    .command('counts')
    .description('The stored totals of lists.')
    .command('verify')
    .description(
      'Compares the stored totals of lists with the records. Exit code 1 if they differ and are not repaired.',
    )
    .option('--company <id>', 'only this company (default: all)', positiveInteger)
    .option('--repair', 'correct the totals that differ')
    .addHelpText('after', examples('counts verify', 'counts verify --repair'))
    .action(async ({ company, repair = false }: VerifyOptions) => {
      const wrong = await withTransactions(async ({ ofCompany, ofInstallation }) => {
        const found = [];
        const companies = company === undefined ? await ofInstallation(({ sql }) => allCompanies(sql)) : [company];
        const progress = new Progress('companies', companies.length);
        // One transaction for each, so that a repair holds the totals of one company for a short time.
        for (const [index, companyId] of companies.entries()) {
          found.push(...(await ofCompany(companyId, (uow) => verifyCounts(uow, { repair }))));
          progress.show(index + 1);
        }
        progress.end();
        return found;
      });
      await output({ repaired: repair && wrong.length > 0, wrong }, wrong.length > 0 && !repair ? 1 : 0);
    });
}
