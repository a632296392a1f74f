import { setTimeout as sleep } from 'node:timers/promises';
import type { ThrowAwayRun } from '../../dev/installation/runInThrowAwayFolder';
import { TaskProcess } from '../../dev/tasks/TaskProcess';
import { machine, type Options, resultTable, verdictOf } from '../command/runProof';
import { type Installation, lagFileOf, startInstallation } from '../../dev/installation/startInstallation';
import type { Attack, AttackOutcome, Company } from './Attack';
import type { AttackTask } from './attacker';
import { untilAborted } from './attacker/tools';
import { attacks } from './attacks';
import { restartProcesses, waitUntilIdle } from './waitUntilIdle';
import { Ground } from './ground/Ground';
import {
  type AttackResult,
  compare,
  type Comparison,
  type Experiences,
  floorMs,
  merge,
  mostLagMs,
  mostMegabytes,
  mostTimesSlower,
  problemsOf,
} from './judge';
import { median } from '../../dev/measuring/statistics';
import { type VictimReport, type VictimTask, works } from './victim/work';
import { longestLagMs, MemoryWatch } from './MemoryWatch';

interface Stage {
  readonly installation: Installation;
  readonly ground: Ground;
  readonly victim: Company;
  readonly victimProcess: TaskProcess<VictimTask, VictimReport>;
  readonly attackerProcess: TaskProcess<AttackTask, AttackOutcome>;
  readonly options: Options;
  /** The measurements of the warm-up. With `--quick` they replace those without the attack in each row. */
  readonly atRest: Experiences;
}

/** Seconds of the victim's work in one round, without and with the attack. */
const phases = { full: { without: 4, with: 8 }, quick: { with: 1.5 } };
/** The limit of the wait for the attacker's first response, with which the measurement begins. */
const longestLeadMs = 2_000;
/**
 * How long a request of the victim takes on two quiet cores. On a machine that is slower, at most by {@link mostSlowness}, the victim pauses
 * longer in proportion: it would otherwise be a heavy user, whose share is measured like the attacker's.
 */
const usualGetMs = 2;
const mostSlowness = 5;
const calibrationSeconds = 0.7;
/** The warm-up before the measurements, in which caches fill and code is compiled. */
const warmUpSeconds = 3;

/** Runs the selected attacks, one after the other, on one installation. */
export async function runAttacks(
  run: ThrowAwayRun,
  options: Options,
  report: (result: AttackResult) => void,
): Promise<AttackResult[]> {
  const installation = await startInstallation(run, {
    apis: 1,
    workers: 1,
    proxied: false,
    // Attackers have any number of networks.
    variables: { TRUST_PROXY: 'true' },
  });
  const ground = await Ground.make(installation.services, options.quick);
  const start = <Task, Result>(script: string): TaskProcess<Task, Result> => {
    const process = TaskProcess.start<Task, Result>(script);
    run.supervisor.add(process);
    return process;
  };
  const begun: Omit<Stage, 'atRest'> = {
    installation,
    ground,
    victim: await ground.newCompany(30),
    victimProcess: start('dist/proof/isolation/victim/index.js'),
    attackerProcess: start('dist/proof/isolation/attacker/index.js'),
    options,
  };
  const stage: Stage = { ...begun, atRest: await work(begun, works, warmUpSeconds) };
  const results: AttackResult[] = [];
  for (const attack of attacks.filter(({ name }) => options.only.length === 0 || options.only.includes(name))) {
    const result = await runAttackTwice(stage, attack, run.log);
    report(result);
    results.push(result);
  }
  return results;
}

/**
 * Runs a row, and repeats it once if it fails: a fault of the service repeats, a slow phase of the machine does not.
 * Restarts the processes after a failure, so that the next run begins with their normal memory.
 */
async function runAttackTwice(stage: Stage, attack: Attack, log: ThrowAwayRun['log']): Promise<AttackResult> {
  const first = await runAttack(stage, attack);
  if (first.problems.length === 0) return first;
  log(`  ${attack.name} failed and is run once more: ${first.problems.join('; ')}`);
  await restartProcesses(stage.installation);
  const atRest = await work(stage, works, warmUpSeconds);
  const second = await runAttack({ ...stage, atRest }, attack);
  if (second.problems.length > 0) await restartProcesses(stage.installation);
  return second;
}

async function runAttack(stage: Stage, attack: Attack): Promise<AttackResult> {
  const { installation, ground, options } = stage;
  const [api, worker] = [installation.apis[0]?.machine, installation.workers[0]?.machine];
  if (api === undefined || worker === undefined) throw new Error('the installation has no API or no worker');
  const kinds = works.filter((kind) => attack.without?.includes(kind) !== true);
  if (attack.variables !== undefined) {
    await restartProcesses(installation, attack.variables);
    await work(stage, kinds, warmUpSeconds);
  }
  const company = await (attack.prepare?.(ground) ?? ground.newCompany());
  const without: Experiences[] = [];
  const during: Experiences[] = [];
  const outcomes: AttackOutcome[] = [];
  const megabytes = { api: 0, worker: 0 };
  const lagMs = { api: 0, worker: 0 };
  const deaths: string[] = [];
  for (let round = 0; round < options.rounds; round++) {
    if (attack.variables === undefined && !(await waitUntilIdle(installation))) await work(stage, kinds, warmUpSeconds);
    const slowness = options.quick ? 1 : slownessOf(await work(stage, ['get'], calibrationSeconds));
    without.push(options.quick ? stage.atRest : await work(stage, kinds, phases.full.without, slowness));
    const memory = { api: new MemoryWatch(() => api.pid), worker: new MemoryWatch(() => worker.pid) };
    const begun = Date.now();
    const { name } = attack;
    const baseUrl = installation.apis[0]?.url ?? '';
    const task = { attack: name, baseUrl, company, quick: options.quick };
    const hasBegun = new AbortController();
    await attack.begin?.(ground, company);
    const attacking = stage.attackerProcess.run(task, () => hasBegun.abort());
    await Promise.race([untilAborted(hasBegun.signal), sleep(longestLeadMs)]);
    during.push(await work(stage, kinds, phases[options.quick ? 'quick' : 'full'].with, slowness));
    stage.attackerProcess.interrupt();
    outcomes.push(await attacking);
    for (const [key, machine] of [
      ['api', api],
      ['worker', worker],
    ] as const) {
      megabytes[key] = Math.max(megabytes[key], memory[key].stop());
      const lag = longestLagMs(lagFileOf(installation.dataDir, machine.name), begun, Date.now());
      lagMs[key] = Math.max(lagMs[key], lag);
      deaths.push(...machine.deaths.splice(0));
    }
    if (!api.runs || !worker.runs) await restartProcesses(installation, attack.variables);
  }
  await attack.restore?.(ground);
  if (attack.variables !== undefined) await restartProcesses(installation);
  const counts = total(outcomes);
  const [before, after] = [merge(without), merge(during)];
  const failures = Object.entries(after).flatMap(([kind, { failures: all }]) => all.map((how) => `${kind}: ${how}`));
  const findings = {
    works: compare(kinds, before, after, floorMs[options.quick ? 'quick' : 'full']),
    failures,
    megabytes,
    lagMs,
    deaths,
  };
  const judged = attack.judge?.({ counts }) ?? null;
  const problems = [...problemsOf(findings), ...(judged === null ? [] : [judged])];
  const { name, what } = attack;
  return { name, what, skipped: null, problems, ...findings, errors: failures.length, attacker: counts };
}

function work(
  { installation, victim, victimProcess }: Omit<Stage, 'atRest'>,
  kinds: VictimTask['works'],
  seconds: number,
  slowness = 1,
): Promise<VictimReport> {
  const { token, clientId, invoiceIds } = victim;
  return victimProcess.run({
    baseUrl: installation.apis[0]?.url ?? '',
    token,
    clientId,
    invoiceIds,
    works: kinds,
    seconds,
    slowness,
  });
}

const slownessOf = ({ get }: VictimReport): number =>
  Math.min(mostSlowness, Math.max(1, median(get?.tookMs ?? []) / usualGetMs));

function total(outcomes: readonly AttackOutcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes)
    for (const [what, count] of Object.entries(outcome.counts)) counts[what] = (counts[what] ?? 0) + count;
  return counts;
}

/** Returns the results as a table. */
export function tableOf(results: readonly AttackResult[], { rounds, quick }: Options): string {
  const floor = floorMs[quick ? 'quick' : 'full'];
  const before = [
    `Victim's latency in ms, median/worst without → with the attack, over ${rounds} rounds by turns; ${machine}`,
    `A row passes: no errors, each median at most ${mostTimesSlower} times the one without (medians below ${floor} ms count as ${floor}),`,
    `no process dies, below ${mostMegabytes} MB, no event loop is blocked for ${mostLagMs} ms. probe is GET /healthz.`,
  ];
  const measured = ['errors', 'API MB', 'API lag', 'worker MB', 'worker lag'];
  return resultTable(before, ['attack', ...works, ...measured, 'verdict', 'attacker got'], results, cells, 2);
}

function cells(result: AttackResult): string[] {
  const { name, works: compared, errors, megabytes, lagMs, attacker } = result;
  return [
    name,
    ...works.map((work) => pair(compared[work])),
    String(errors),
    megabytes.api.toFixed(0),
    lagMs.api.toFixed(0),
    megabytes.worker.toFixed(0),
    lagMs.worker.toFixed(0),
    verdictOf(result),
    Object.entries(attacker)
      .map(([what, count]) => `${what} × ${count}`)
      .join(', '),
  ];
}

function pair(comparison: Comparison | undefined): string {
  if (comparison === undefined) return '-';
  const ms = (value: number): string => (Number.isNaN(value) ? '-' : value.toFixed(value < 9.95 ? 1 : 0));
  const side = ({ median, worst }: Comparison['with']): string => `${ms(median)}/${ms(worst)}`;
  return `${side(comparison.without)} → ${side(comparison.with)}`;
}
