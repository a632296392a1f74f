import { Option, type Command } from 'commander';
import { settleEmail, settleOutcomes, type SettleOutcome } from '../../shared/emails';
import { NotFound } from '../../shared/engine/errors';
import { positiveInteger } from '../arguments';
import { examples } from '../examples';
import type { Output } from '../output';
import { withDatabase } from '../withDatabase';

/** `emails settle`. */
export function addEmailCommands(program: Command, output: Output): void {
  program
    .command('emails')
    .description('E-mails to clients.')
    .command('settle')
    .description('Records what became of an e-mail whose delivery is uncertain.')
    .argument('<id>', 'id of the e-mail, which `jobs list` shows as emailId', positiveInteger)
    .addOption(
      new Option('--outcome <outcome>', 'sent: a draft becomes sent; not_sent: the e-mail failed, and can be retried')
        .choices(settleOutcomes)
        .makeOptionMandatory(),
    )
    .addHelpText('after', examples('jobs list --status uncertain', 'emails settle 31 --outcome sent'))
    .action(async (emailId: number, { outcome }: { outcome: SettleOutcome }) => {
      const settled = await withDatabase(async (work) => {
        const [email] = await work.sql.rows<{ companyId: number }>('SELECT companyId FROM emails WHERE id = ?', [
          emailId,
        ]);
        if (email === undefined) throw new NotFound(`e-mail ${emailId}`);
        return settleEmail(work.forCompany(email.companyId), emailId, outcome);
      });
      await output(settled);
    });
}
