import type { Command } from 'commander';
import { loadConfig } from '../../config/env';
import { SecretBox } from '../../shared/engine/secrets';
import { examples } from '../examples';
import type { Output } from '../output';
import { rotateSecrets } from '../rotateSecrets';
import { withTransactions } from '../withDatabase';

/** `secrets rotate`. */
export function addSecretCommands(program: Command, output: Output): void {
  program
    .command('secrets')
    .description('Secrets that the database holds encrypted.')
    .command('rotate')
    .description(
      'Encrypts all secrets with the first key of SECRETS_KEY, so that the other keys can be removed from it. Exit code 1 if a ' +
        'secret cannot be decrypted by any of the keys.',
    )
    .option('--dry-run', 'only count the secrets')
    .addHelpText('after', examples('secrets rotate --dry-run', 'secrets rotate'))
    .action(async ({ dryRun = false }: { dryRun?: boolean }) => {
      const box = new SecretBox(loadConfig().secretsKeys);
      const report = await withTransactions((work) => rotateSecrets(work, box, { dryRun }));
      await output(report, report.unreadable > 0 || report.interrupted ? 1 : 0);
    });
}
