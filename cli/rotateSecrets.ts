import type { SecretBox } from '../shared/engine/secrets';
import { examineSecrets, resealSecrets, type SecretsBatch, type UnreadableEndpoint } from '../shared/webhooks';
import { Progress } from './Progress';
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
 * Encrypts the secrets of all webhook endpoints with the first key, in short transactions. Ctrl-C stops after the one in
 * progress.
 */
export async function rotateSecrets(
  { ofInstallation }: CommandTransactions,
  box: SecretBox,
  { dryRun }: { dryRun: boolean },
): Promise<RotateReport> {
  const report: RotateReport = {
    dryRun,
    endpoints: 0,
    rotated: 0,
    unreadable: 0,
    examples: [],
    interrupted: false,
  };
  const interrupt = (): void => {
    report.interrupted = true;
  };
  // A second signal ends the process immediately, and its transaction rolls back.
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const progress = new Progress('endpoints', null);
  for (let after: number | null = 0; after !== null && !report.interrupted;) {
    const from: number = after;
    const batch: SecretsBatch = await ofInstallation((work) =>
      dryRun ? examineSecrets(work.sql, box, from, work.now) : resealSecrets(work, box, from),
    );
    report.endpoints += batch.endpoints;
    report.rotated += batch.outdated;
    report.unreadable += batch.unreadable.length;
    report.examples.push(...batch.unreadable.slice(0, EXAMPLES - report.examples.length));
    progress.show(report.endpoints);
    after = batch.next;
    if (after === null) report.interrupted = false;
  }
  progress.end();
  return report;
}
