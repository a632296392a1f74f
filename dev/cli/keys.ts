import type { Command } from 'commander';
import { presentApiKey, presentNewApiKey } from '../../api/presenters/apiKey';
import { createApiKeyBody, toApiKeyInput, type ApiKeyBody } from '../../api/routes/apiKeys/requests';
import { bodyValidator } from '../../api/validation/ajv';
import { NotFound } from '../../shared/errors';
import { createApiKey } from '../../shared/usecases/apiKeys/createApiKey';
import { revokeApiKey } from '../../shared/usecases/apiKeys/revokeApiKey';
import { commaSeparated, positiveInteger } from './arguments';
import type { Output } from './output';
import { withDatabase } from './withDatabase';

const checkKey = bodyValidator(createApiKeyBody);

type KeyOptions = Omit<ApiKeyBody, 'expiresAt'> & { company: number; expires?: string };

/** `keys create` and `keys revoke`: values are checked as those of POST /api/api-keys are. */
export function addKeyCommands(program: Command, answer: Output): void {
  const keys = program.command('keys').description('API keys');
  keys
    .command('create')
    .description('make an API key; its token is shown once')
    .requiredOption('--company <id>', 'whose key it is', positiveInteger)
    .option('--scopes <list>', 'of read, write and admin, by comma (default: read,write)', commaSeparated)
    .option('--expires <time>', 'an ISO 8601 timestamp, such as 2027-01-31T17:00:00Z (default: never)')
    .option('--name <name>')
    .action(async ({ company: companyId, expires, ...body }: KeyOptions) => {
      const key: ApiKeyBody = { ...body, ...(expires !== undefined && { expiresAt: expires }) };
      checkKey(key);
      await answer(
        presentNewApiKey(await withDatabase((uow) => createApiKey({ ...uow, companyId }, toApiKeyInput(key)))),
      );
    });
  keys
    .command('revoke')
    .description('end an API key, on every API process within 5 seconds')
    .argument('<id>', 'the id, not the token', positiveInteger)
    .action(async (keyId: number) => {
      const revoked = await withDatabase(async (uow) => {
        const [key] = await uow.sql.rows<{ companyId: number }>('SELECT companyId FROM api_keys WHERE id = ?', [keyId]);
        if (key === undefined) throw new NotFound('API key');
        return revokeApiKey({ ...uow, companyId: key.companyId }, keyId);
      });
      await answer(presentApiKey(revoked));
    });
}
