import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { runInThrowAwayFolder, type ThrowAwayRun } from '../../dev/installation/runInThrowAwayFolder';
import { readOptions, type Options, type ProofCommand } from './options';

/** The outcome of one row. */
export interface Verdict {
  readonly name: string;
  /** The problems; empty when the row passes. */
  readonly problems: readonly string[];
  /** Why the row was not run on this machine, or null. */
  readonly skipped: string | null;
}

export interface Proof<Outcome extends Verdict> extends ProofCommand {
  /** Runs the selected rows and reports each as it ends. */
  run(run: ThrowAwayRun, options: Options, report: (outcome: Outcome) => void): Promise<Outcome[]>;
  table(outcomes: readonly Outcome[], options: Options): string;
}

/**
 * Runs a proof as a command: a line for each row on stderr, the table and `rows: N passed, N failed` on stdout; exit code 1 when
 * a row fails.
 */
export function runProof<Outcome extends Verdict>(proof: Proof<Outcome>): void {
  const options = readOptions(proof);
  if (options.list) {
    process.stdout.write(`${proof.rows.map(({ name, what }) => `${name.padEnd(24)}${what}`).join('\n')}\n`);
    return;
  }
  runInThrowAwayFolder(proof.name.replace(':', '-'), async (run) => {
    if (proof.seeded) run.log(`seed ${options.seed}`);
    run.log('starting MySQL, Redis, APIs, workers, a mail catcher and a sandbox gateway …');
    const report = (outcome: Outcome): void => run.log(lineOf(outcome));
    try {
      const outcomes = await proof.run(run, options, report);
      const counted = outcomes.filter(({ skipped }) => skipped === null);
      const failed = counted.filter(({ problems }) => problems.length > 0).length;
      process.stdout.write(`${options.json ? JSON.stringify(outcomes, null, 2) : proof.table(outcomes, options)}\n`);
      // With --json, stdout has nothing but the result.
      const summary = `rows: ${counted.length - failed} passed, ${failed} failed\n`;
      (options.json ? process.stderr : process.stdout).write(summary);
      return failed === 0 ? 0 : 1;
    } finally {
      const logs = join(run.dataDir, 'logs');
      if (options.logs !== null && existsSync(logs)) cpSync(logs, options.logs, { recursive: true });
    }
  });
}

function lineOf({ name, problems, skipped }: Verdict): string {
  if (skipped !== null) return `skipped ${name}: ${skipped}`;
  return problems.length === 0 ? `passed  ${name}` : `FAILED  ${name}: ${problems.join('; ')}`;
}
