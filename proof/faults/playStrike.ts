import { setTimeout as sleep } from 'node:timers/promises';
import type { Options } from '../command/runProof';
import { jsonOf } from '../installation/HttpClient';
import { type CallResult, callWithRetries, secondsUntilAllWorks } from './calls';
import { type Counts, noCounts, patienceMs, type Round } from './Fault';
import type { Operation, OperationKind } from './operations';
import type { Random } from './Random';
import type { World } from './World';

export interface Strike {
  prepare?(world: World): Promise<void>;
  readonly kinds: readonly OperationKind[];
  /** Operations of each kind in a round. */
  readonly operations?: { readonly full: number; readonly quick: number };
  /** Milliseconds over which the operations begin. */
  readonly spreadMs?: { readonly full: number; readonly quick: number };
  /** The API that gets the first request of each operation; all in turn when absent. */
  readonly firstApi?: number;
  /** Makes the fault. Resolves when it is over, possibly with a repair that runs while the recovery is measured. */
  hit(world: World, random: Random): Promise<(() => Promise<void>) | void>;
  /** Returns other problems after the round. */
  check?(results: readonly CallResult[]): string[];
}

const defaultOperations = { full: 16, quick: 6 };
const defaultSpreadMs = { full: 3_000, quick: 1_500 };
const unfinished = ['pending', 'running', 'unknown'];

/** Starts operations over some seconds, and makes the fault at a random time among them. */
export async function playStrike(world: World, random: Random, options: Options, strike: Strike): Promise<Round> {
  const size = options.quick ? 'quick' : 'full';
  const count = (strike.operations ?? defaultOperations)[size];
  await strike.prepare?.(world);
  const operations = await makeOperations(world, strike.kinds, count);
  const spreadMs = (strike.spreadMs ?? defaultSpreadMs)[size];
  const strikeAt = random.between(0.15, 0.85) * spreadMs;
  let until = Infinity;
  const calls = operations.map(async (operation, index) => {
    await sleep((index / operations.length) * spreadMs);
    return callWithRetries(world, operation, strike.firstApi ?? index, () => until);
  });

  await sleep(strikeAt);
  const repair = await strike.hit(world, random);
  const [recoverySeconds] = await Promise.all([secondsUntilAllWorks(world, strike.kinds), repair?.()]);
  until = Date.now() + patienceMs;
  const results = await Promise.all(calls);
  return {
    ...(await countEffects(world, results)),
    recoverySeconds,
    problems: [...neverAccepted(results), ...(strike.check?.(results) ?? [])],
  };
}

/** Reports the responses of operations that were never accepted. */
function neverAccepted(results: readonly CallResult[]): string[] {
  const refused = results.filter(({ outcome }) => outcome === 'refused');
  const responses = [...new Set(refused.flatMap(({ tries }) => tries))].join(', ');
  return refused.length === 0 ? [] : [`${refused.length} operations were never accepted (${responses})`];
}

/** Makes `count` operations of each kind, one kind after the other in turn. */
export async function makeOperations(
  world: World,
  kinds: readonly OperationKind[],
  count: number,
): Promise<Operation[]> {
  const operations: Operation[] = [];
  for (let index = 0; index < count; index++) for (const kind of kinds) operations.push(await kind.make(world));
  return operations;
}

/** Waits until every accepted job has ended, and counts the effects of each operation. */
export async function countEffects(world: World, results: readonly CallResult[]): Promise<Counts> {
  const deadline = Date.now() + patienceMs;
  const counts = noCounts();
  for (const { outcome, operation, reply } of results) {
    if (outcome === 'accepted') counts.accepted += 1;
    const uncertain = outcome === 'uncertain' || (await endOf(world, reply, deadline)) === 'uncertain';
    if (uncertain) counts.uncertain += 1;
    else counts.expected += 1;
    let found = await operation.count(reply);
    while (found === 0 && !uncertain && outcome === 'accepted' && Date.now() < deadline) {
      await sleep(200);
      found = await operation.count(reply);
    }
    if (found > 0 && !uncertain) counts.found += 1;
    if (found === 0 && !uncertain) counts.lost += 1;
    if (found > 1) counts.doubled += 1;
  }
  return counts;
}

/** Returns the final status of the job of a 202; null for any other response. */
async function endOf(world: World, reply: CallResult['reply'], deadline: number): Promise<string | null> {
  if (reply?.status !== 202) return null;
  const { jobId } = jsonOf<{ data: { jobId: number } }>(reply).data;
  let { status } = await world.job(jobId);
  while (unfinished.includes(status) && Date.now() < deadline) {
    await sleep(200);
    ({ status } = await world.job(jobId));
  }
  return status;
}

/** Checks that the fault affected some operation, and that the response was 503. */
export function onlyUnavailable(results: readonly CallResult[]): string[] {
  const met = results.flatMap(({ tries }) => tries).filter((status) => !['200', '201'].includes(status));
  if (met.length === 0) return ['no request met the fault'];
  const others = [...new Set(met.filter((status) => status !== '503'))];
  return others.length === 0 ? [] : [`responses other than 503: ${others.join(', ')}`];
}
