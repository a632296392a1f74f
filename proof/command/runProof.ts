import { randomInt } from 'node:crypto';
import { cpus } from 'node:os';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { positiveInteger } from '../../cli/arguments';
import { aligned } from '../../dev/measuring/statistics';
import { runInThrowAwayFolder, type ThrowAwayRun } from '../../dev/installation/runInThrowAwayFolder';

export interface Options {
  /** Names of rows; empty means all. */
  readonly only: readonly string[];
  readonly rounds: number;
  readonly seed: number;
  /** Small numbers, for the checks of every change. */
  readonly quick: boolean;
  readonly json: boolean;
  readonly list: boolean;
  /** A folder for the logs of all processes, or null. */
  readonly logs: string | null;
  /** The git revision of an earlier release, or null. */
  readonly from: string | null;
}

/** The name of a command, its rows, and its default number of rounds. */
export interface ProofCommand {
  readonly name: string;
  readonly rows: readonly { readonly name: string; readonly what: string }[];
  readonly rounds: { readonly full: number; readonly quick: number };
  /** True if the times of faults are random. `--seed` then repeats them. */
  readonly seeded: boolean;
  /** True if an earlier release takes part. `--from` then names it. */
  readonly hasEarlierRelease?: boolean;
}

/** Reads the command line. Ends the process with a message for an option that is unknown or has no usable value. */
function readOptions({ name, rows, rounds, seeded, hasEarlierRelease }: ProofCommand): Options {
  const names = rows.map((row) => row.name);
  const command = new Command(`npm run ${name} --`)
    .addOption(new Option('--only <name...>', 'only these rows').choices(names))
    .option('--quick', 'small numbers')
    .option('--rounds <n>', `rounds of each row (${rounds.full}, with --quick ${rounds.quick})`, positiveInteger)
    .option('--json', 'the result as JSON on stdout')
    .option('--logs <folder>', 'keeps the logs of all processes there')
    .option('--list', 'the rows and what they are');
  if (seeded) command.option('--seed <n>', 'repeats the times and choices of another run', positiveInteger);
  if (hasEarlierRelease) command.option('--from <ref>', 'the git revision of the earlier release');
  const given = command.parse().opts<Partial<Options>>();
  const { quick = false } = given;
  const defaults = { only: [], json: false, list: false, logs: null, from: null, seed: randomInt(1, 1_000_000) };
  return { ...defaults, quick, rounds: rounds[quick ? 'quick' : 'full'], ...given };
}

/** The machine that a proof ran on, in words. */
export const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`;

export const verdictOf = ({ problems, skipped }: Verdict): string =>
  skipped !== null ? 'skipped' : problems.length === 0 ? 'passed' : 'FAILED';

/** Returns lines, a table of the results, and a description of each row. The last `leftAtEnd` columns are texts. */
export function resultTable<R extends Verdict & { readonly what: string }>(
  before: readonly string[],
  head: readonly string[],
  results: readonly R[],
  cells: (result: R) => string[],
  leftAtEnd: number,
): string {
  const rows = aligned([head, ...results.map(cells)], leftAtEnd);
  return [...before, '', ...rows, '', ...results.map(({ name, what }) => `${name}: ${what}`)].join('\n');
}

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
    process.stdout.write(`${proof.rows.map(({ name, what }) => `${name.padEnd(28)}${what}`).join('\n')}\n`);
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
