import { join } from 'node:path';
import type { ThrowAwayRun } from '../../dev/installation/runInThrowAwayFolder';
import { machine, type Options, resultTable, type Verdict, verdictOf } from '../command/runProof';
import { addCounts, countNames, type Counts, noCounts } from '../faults/Fault';
import { createInvoice, createLink, sendEmail } from '../faults/operations';
import { countEffects, makeOperations } from '../faults/playStrike';
import { World } from '../faults/World';
import { type Installation, prepareInstallation } from '../../dev/installation/startInstallation';
import { findEarlierCommit, type Release, unpackRelease } from './earlierRelease';
import { compareLedgers } from '../faults/ledger';
import { Load } from '../faults/calls';
import { rows, type UpgradeRow } from './rows';

/** The outcome of all rounds of a row. */
export interface UpgradeResult extends Verdict, Readonly<Counts> {
  readonly what: string;
  readonly earlier: string;
  /** How many requests ended in each status, or with each error of the connection. */
  readonly responses: Readonly<Record<string, number>>;
}

const kinds = [createInvoice, sendEmail, createLink];
/** Operations of each kind that our code makes before the schema is reverted, which it need not support. */
const prepared = 20;
const everyMs = { full: 60, quick: 120 };
/** After a 503 or a refused connection, a retry is safe. Both are expected while processes are replaced. */
const expectedResponses = ['200', '201', '202', '503', 'ECONNREFUSED'];
/**
 * When a process closes its socket, the kernel resets connections that were not accepted yet: for the caller the same
 * as a refused one. An API that dropped requests in progress would reset far more.
 */
const resetsOfAnApi = 1;

/** Plays the selected rows on one installation. */
export async function runUpgrade(
  run: ThrowAwayRun,
  options: Options,
  report: (result: UpgradeResult) => void,
): Promise<UpgradeResult[]> {
  const selected = rows.filter(({ name }) => options.only.length === 0 || options.only.includes(name));
  const commit = await findEarlierCommit(options.from);
  if (commit === null) {
    const skipped = 'the git history here does not reach back before the newest migration; name a release with --from';
    const results = selected.map((row) => ({ ...nothing(row, ''), skipped }));
    results.forEach(report);
    return results;
  }
  const earlier = await unpackRelease(commit, join(run.dataDir, 'earlier'), run.log);
  const variables = { JOB_WAIT_MS: '10000' };
  const installation = await prepareInstallation(run, { apis: 2, workers: 2, proxied: false, variables });
  const results: UpgradeResult[] = [];
  for (const row of selected) {
    let result = nothing(row, earlier.commit);
    for (let round = 0; round < options.rounds; round++)
      result = add(result, await play(installation, row, earlier, options));
    report(result);
    results.push(result);
  }
  return results;
}

type Round = Omit<UpgradeResult, keyof Verdict | 'what' | 'earlier'> & Pick<Verdict, 'problems'>;

async function play(installation: Installation, row: UpgradeRow, earlier: Release, options: Options): Promise<Round> {
  const world = await World.make(installation);
  const operations = await makeOperations(world, kinds, prepared);
  await row.begin(installation, earlier);
  const load = new Load(world, { kinds, prepared: operations, everyMs: everyMs[options.quick ? 'quick' : 'full'] });
  try {
    await row.change(installation, earlier);
  } finally {
    await load.end();
  }
  const results = await load.end();
  const counts = await countEffects(world, results);
  const responses: Record<string, number> = {};
  for (const name of results.flatMap(({ tries }) => tries)) responses[name] = (responses[name] ?? 0) + 1;
  const others = Object.keys(responses).filter((name) => !expectedResponses.includes(name) && name !== 'ECONNRESET');
  const resets = responses.ECONNRESET ?? 0;
  const deaths = world.processes.flatMap(({ machine }) => machine.deaths.splice(0));
  const problems = [
    ...(counts.lost > 0 ? [`${counts.lost} lost`] : []),
    ...(counts.doubled > 0 ? [`${counts.doubled} doubled`] : []),
    ...(counts.uncertain > 0 ? [`${counts.uncertain} uncertain although no process died`] : []),
    ...(results.some(({ outcome }) => outcome === 'refused') ? ['some operations were never accepted'] : []),
    ...(others.length > 0 ? [`requests that failed: ${others.join(', ')}`] : []),
    ...(resets > resetsOfAnApi * installation.apis.length ? [`${resets} connections reset`] : []),
    ...deaths,
    ...(await compareLedgers(world)),
  ];
  return { ...counts, responses, problems };
}

function nothing({ name, what }: UpgradeRow, earlier: string): UpgradeResult {
  return { name, what, earlier, skipped: null, problems: [], ...noCounts(), responses: {} };
}

function add(result: UpgradeResult, round: Round): UpgradeResult {
  const responses: Record<string, number> = { ...result.responses };
  for (const [name, count] of Object.entries(round.responses)) responses[name] = (responses[name] ?? 0) + count;
  const problems = [...result.problems, ...round.problems];
  return { ...result, ...addCounts(result, round), responses, problems };
}

const head = ['row', ...countNames, 'verdict', 'responses'];

/** Returns the results as a table. */
export function tableOf(results: readonly UpgradeResult[]): string {
  const before = [
    `Earlier release: ${results[0]?.earlier.slice(0, 7) || 'none'}; ${machine}`,
    'A row passes: nothing lost, doubled or uncertain, and no request failed but with 503 or a refused connection (one reset for each API counts as refused).',
  ];
  return resultTable(before, head, results, cells, 1);
}

function cells(result: UpgradeResult): string[] {
  const seen = Object.entries(result.responses).map(([response, count]) => `${count} × ${response}`);
  return [result.name, ...countNames.map((count) => String(result[count])), verdictOf(result), seen.join(', ')];
}
