import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../../dev/installation/startInstallation';
import type { OperationKind } from './operations/Operation';
import type { World } from './World';

/** The limit of a recovery. */
const limitMs = 90_000;
const attemptTimeoutMs = 4_000;

/**
 * Returns the seconds until an operation of each kind succeeds at the first request on every running API; Infinity
 * after the limit.
 */
export async function secondsUntilAllWorks(world: World, kinds: readonly OperationKind[]): Promise<number> {
  const begun = Date.now();
  const seconds = await Promise.all(
    world.installation.apis
      .filter(({ machine }) => machine.runs)
      .flatMap((api) => kinds.map((kind) => secondsUntilWorks(world, api, kind, begun))),
  );
  return Math.max(...seconds);
}

async function secondsUntilWorks(world: World, api: Api, kind: OperationKind, begun: number): Promise<number> {
  while (Date.now() < begun + limitMs) {
    if (await works(world, api, kind)) return (Date.now() - begun) / 1000;
    await sleep(100);
  }
  world.broken.push(`after ${givenUpAfterMs / 1_000} s ${kind.name} does not work at ${api.url}`);
  return Infinity;
}

async function works(world: World, api: Api, kind: OperationKind): Promise<boolean> {
  try {
    const operation = await kind.make(world);
    const deadline = Date.now() + attemptTimeoutMs;
    const reply = await world.send(api, { ...operation.call, timeoutMs: attemptTimeoutMs });
    if (!operation.isRight(reply)) return false;
    while (operation.isFollowed === true && (await operation.count(reply)) === 0) {
      if (Date.now() > deadline) return false;
      await sleep(50);
    }
    return true;
  } catch {
    // Not yet: a connection failed, or MySQL could not be reached to make the operation's subject.
    return false;
  }
}
