import type { ThrowAwayRun } from '../../dev/installation/runInThrowAwayFolder';
import { median } from '../../dev/measuring/statistics';
import { machine, type Options, resultTable, verdictOf } from '../command/runProof';
import { type Installation, startInstallation } from '../../dev/installation/startInstallation';
import { addCounts, countNames, type Fault, type FaultResult, noCounts, patienceMs, type Round } from './Fault';
import { FeedFollower } from './FeedFollower';
import { Random } from './Random';
import { faults } from './rows';
import { WebhookReceiver } from './WebhookReceiver';
import { World } from './World';

/**
 * With `--quick` the service has shorter time-outs, so that faults can be shorter, and a busy machine may take as long as anything is
 * waited for.
 */
const quickly = { variables: { DATABASE_TIMEOUT_MS: '4000' }, recoversWithin: patienceMs / 1_000 };

/** Plays the selected faults, one after the other, on one installation. */
export async function runFaults(
  run: ThrowAwayRun,
  options: Options,
  report: (result: FaultResult) => void,
): Promise<FaultResult[]> {
  const installation = await startInstallation(run, {
    apis: 2,
    workers: 2,
    proxied: true,
    variables: { JOB_WAIT_MS: '10000', ...(options.quick && quickly.variables) },
  });
  const results: FaultResult[] = [];
  for (const fault of faults.filter(({ name }) => options.only.length === 0 || options.only.includes(name))) {
    const { recoversWithin } = options.quick ? quickly : fault;
    const result = await playFault(installation, { ...fault, recoversWithin }, options, run.log, repair);
    report(result);
    results.push(result);
  }
  return results;
}

/** Plays the rounds of one fault. `repair` runs after each. */
export async function playFault(
  installation: Installation,
  fault: Fault,
  options: Options,
  log: ThrowAwayRun['log'],
  repair: (installation: Installation) => Promise<void>,
): Promise<FaultResult> {
  const skipped = (await fault.impossible?.(installation)) ?? null;
  const rounds: Round[] = [];
  const wanted = fault.isPlayedOnce === true ? 1 : options.rounds;
  for (let index = 0; skipped === null && index < wanted; index++) {
    // Depends only on the row and the round, so that `--only` repeats the same times.
    const random = new Random(options.seed + index * 7_919 + hash(fault.name));
    const round = await play(installation, fault, random, options);
    rounds.push(round);
    const { accepted, expected, found, lost, doubled, uncertain, recoverySeconds } = round;
    log(
      `  ${fault.name}, round ${index + 1}: accepted ${accepted}, found ${found} of ${expected}, lost ${lost}, ` +
        `doubled ${doubled}, uncertain ${uncertain}, recovered in ${recoverySeconds.toFixed(1)} s ${round.problems.join('; ')}`,
    );
    await repair(installation);
  }
  return resultOf(fault, rounds, skipped);
}

/**
 * Plays a round while a reader follows the feed and an endpoint receives webhooks. An error is a problem of the row.
 */
async function play(installation: Installation, fault: Fault, random: Random, options: Options): Promise<Round> {
  try {
    const world = await World.make(installation);
    const [receiver, follower] = [await WebhookReceiver.start(world), new FeedFollower(world)];
    const round = await fault.play(world, random, options);
    const missed = await Promise.all([follower.end(), receiver.end()]);
    return { ...round, problems: [...round.problems, ...world.broken, ...missed.flat()] };
  } catch (error) {
    const problem = `the round could not be played: ${error instanceof Error ? error.message : String(error)}`;
    return { ...noCounts(), recoverySeconds: Infinity, problems: [problem] };
  }
}

/**
 * Restores broken connections and restarts processes that are not running. A process that ended by itself is a problem
 * of the previous round.
 */
async function repair({ apis, workers }: Installation): Promise<void> {
  for (const { machine, mysql, redis } of [...apis, ...workers]) {
    mysql.proxy.restore();
    redis.proxy.restore();
    if (!machine.runs) await machine.start();
  }
}

/** Judges the rounds of a fault; none where it was skipped. */
export function resultOf(fault: Omit<Fault, 'play'>, rounds: readonly Round[], skipped: string | null): FaultResult {
  const counts = rounds.reduce(addCounts, noCounts());
  const { lost, doubled, uncertain } = counts;
  const seconds = rounds.map(({ recoverySeconds }) => recoverySeconds);
  const recoverySeconds = { median: median(seconds), worst: Math.max(0, ...seconds) };
  const problems = rounds.flatMap((round) => round.problems);
  if (lost > 0) problems.push(`${lost} lost`);
  if (doubled > 0) problems.push(`${doubled} doubled`);
  if (uncertain > 0 && fault.mayBeUncertain !== true) problems.push(`${uncertain} uncertain although no worker died`);
  if (recoverySeconds.worst > fault.recoversWithin) {
    problems.push(`recovered in ${recoverySeconds.worst.toFixed(1)} s, more than ${fault.recoversWithin} s`);
  }
  return { name: fault.name, what: fault.what, skipped, problems, rounds: rounds.length, ...counts, recoverySeconds };
}

function hash(text: string): number {
  let value = 0;
  for (const character of text) value = (Math.imul(value, 31) + (character.codePointAt(0) ?? 0)) | 0;
  return value;
}

const head = ['fault', 'rounds', ...countNames, 'recovery s (median/worst)', 'verdict'];

/** Returns the results as a table. `within` is the limit of a recovery, in words. */
export function tableOf(
  results: readonly FaultResult[],
  { seed, quick }: Options,
  within = quick ? `${quickly.recoversWithin} s` : '30 s',
): string {
  const before = [
    `Counted from outside; --seed ${seed}; ${machine}`,
    `A row passes: nothing lost, nothing doubled, uncertain only where a worker died, everything works again within ${within}.`,
  ];
  return resultTable(before, head, results, cells, 1);
}

function cells(result: FaultResult): string[] {
  const { name, rounds, recoverySeconds } = result;
  const seconds = `${recoverySeconds.median.toFixed(1)}/${recoverySeconds.worst.toFixed(1)}`;
  return [name, String(rounds), ...countNames.map((count) => String(result[count])), seconds, verdictOf(result)];
}
