import type { SecretBox } from '../shared/engine/secrets';
import { examineSecrets, resealSecrets, type UnreadableEndpoint } from '../shared/webhooks';
import { Progress } from './Progress';
import { untilDone } from './untilDone';
import type { CommandTransactions } from './withDatabase';

/** The outcome; in a dry run the expected one. */
export interface RotateReport {
  dryRun: boolean;
  /** Webhook endpoints that were looked at. */
  endpoints: number;
  /** Endpoints whose secrets are encrypted by the first key now; in a dry run those that would be. */
  rotated: number;
  /** Endpoints with a secret that none of the keys decrypts. */
  unreadable: number;
  /** The first of them. */
  examples: UnreadableEndpoint[];
  /** True when the command was stopped before the end. Running it again goes on. */
  interrupted: boolean;
}

/** The most unreadable endpoints that the report names. */
const EXAMPLES = 20;

/**
 * Encrypts the secrets of all webhook endpoints with the first key, each in a transaction of its own. Ctrl-C stops after the one in
 * progress.
 */
export async function rotateSecrets(
  { ofInstallation }: CommandTransactions,
  box: SecretBox,
  { dryRun }: { dryRun: boolean },
): Promise<RotateReport> {
  const counts = { endpoints: 0, rotated: 0, unreadable: 0 };
  const examples: UnreadableEndpoint[] = [];
  const progress = new Progress('endpoints', null);
  const { interrupted } = await untilDone(0, async (from) => {
    const { endpoints, outdated, unreadable, next } = await ofInstallation((work) =>
      dryRun ? examineSecrets(work.sql, box, from, work.now) : resealSecrets(work, box, from),
    );
    counts.endpoints += endpoints;
    counts.rotated += outdated;
    counts.unreadable += unreadable.length;
    examples.push(...unreadable.slice(0, EXAMPLES - examples.length));
    progress.show(counts.endpoints);
    return next;
  });
  progress.end();
  return { dryRun, ...counts, examples, interrupted };
}
