import type { Config } from '../../config/env';
import { broken, type Check, type Finding, ok, warning } from '../../shared/engine/checks';
import type { Sql } from '../../shared/engine/db';
import { SecretBox } from '../../shared/engine/secrets';
import { examineSecrets, type SecretsBatch } from '../../shared/webhooks';

/** Checks that the keys decrypt the secrets of the database. `migrations` is the check that it has their table. */
export function secretsCheck({ secretsKeys }: Config, sql: Sql, migrations: Check): Check {
  return {
    name: 'secrets: keys',
    variables: ['SECRETS_KEY'],
    needs: migrations,
    run: () => checkSecrets(sql, new SecretBox(secretsKeys)),
  };
}

/** Tries to decrypt every secret. */
export async function checkSecrets(sql: Sql, box: SecretBox): Promise<Finding> {
  const all: Omit<SecretsBatch, 'next'> = { endpoints: 0, outdated: 0, unreadable: [] };
  for (let after: number | null = 0; after !== null;) {
    const batch: SecretsBatch = await examineSecrets(sql, box, after, new Date());
    all.endpoints += batch.endpoints;
    all.outdated += batch.outdated;
    all.unreadable.push(...batch.unreadable);
    after = batch.next;
  }
  return findingOf(all);
}

function findingOf({ endpoints, outdated, unreadable }: Omit<SecretsBatch, 'next'>): Finding {
  const [first] = unreadable;
  if (first !== undefined) {
    return broken(
      `the secrets of ${unreadable.length} of ${endpoints} webhook endpoints cannot be decrypted, for example those of ` +
        `endpoint ${first.endpointId} of company ${first.companyId}: nothing is sent to them`,
      'Add the key that encrypted them to SECRETS_KEY, after a comma. If it is lost, each endpoint needs a new secret (POST /api/webhook-endpoints/{id}/rotate-secret).',
    );
  }
  if (outdated > 0) {
    return warning(
      `the secrets of ${outdated} of ${endpoints} webhook endpoints are encrypted by a key that is not the first`,
      'Run `npm run -s cli -- secrets rotate`. After that only the first key is needed.',
    );
  }
  return ok(`the secrets of ${endpoints} webhook endpoints can be decrypted`);
}
