import type { Command } from 'commander';
import {
  apiKey,
  type ApiKeyBody,
  createApiKey,
  presentApiKey,
  presentNewApiKey,
  revokeApiKey,
  toApiKeyInput,
} from '../../shared/apiKeys';
import { splitList } from '../../config/kinds';
import { bodyValidator } from '../../shared/engine/schemas';
import { NotFound } from '../../shared/engine/errors';
import { positiveInteger } from '../arguments';
import { examples } from '../examples';
import type { Output } from '../output';
import { withDatabase } from '../withDatabase';

const checkKey = bodyValidator(apiKey.newBody);

type KeyOptions = Omit<ApiKeyBody, 'expiresAt'> & { company: number; expires?: string };

/** `keys create` and `keys revoke`: values are checked as those of POST /api/api-keys are. */
export function addKeyCommands(program: Command, output: Output): void {
  const keys = program.command('keys').description('API keys.');
  keys
    .command('create')
    .description('Creates an API key. Its token is shown once.')
    .requiredOption('--company <id>', 'id of the company (required)', positiveInteger)
    .option('--scopes <list>', 'read, write, admin, separated by commas (default: read,write)', splitList)
    .option('--expires <time>', 'an RFC 3339 timestamp, such as 2027-01-31T17:00:00Z (default: never)')
    .option('--name <name>', 'what the key is for')
    .addHelpText(
      'after',
      examples('keys create --company 1 --scopes read --expires 2027-01-31T17:00:00Z --name reports'),
    )
    .action(async ({ company: companyId, expires, ...body }: KeyOptions) => {
      const key: ApiKeyBody = { ...body, ...(expires !== undefined && { expiresAt: expires }) };
      checkKey(key);
      await output(
        presentNewApiKey(await withDatabase((work) => createApiKey(work.forCompany(companyId), toApiKeyInput(key)))),
      );
    });
  keys
    .command('revoke')
    .description('Revokes an API key. Every API process refuses it within 5 seconds.')
    .argument('<id>', 'id of the key, not its token', positiveInteger)
    .addHelpText('after', examples('keys revoke 3'))
    .action(async (keyId: number) => {
      const revoked = await withDatabase(async (work) => {
        const [key] = await work.sql.rows<{ companyId: number }>('SELECT companyId FROM api_keys WHERE id = ?', [
          keyId,
        ]);
        if (key === undefined) throw new NotFound('API key');
        return revokeApiKey(work.forCompany(key.companyId), keyId);
      });
      await output(presentApiKey(revoked));
    });
}
