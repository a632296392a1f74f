import { setTimeout as sleep } from 'node:timers/promises';
import { type HttpReply, jsonOf } from '../installation/HttpClient';
import type { Api } from '../../dev/installation/startInstallation';
import { patienceMs } from './Fault';
import type { Operation, OperationKind } from './operations';
import type { World } from './World';

/** The outcome of one operation for its caller. */
export interface CallResult {
  readonly operation: Operation;
  readonly outcome: 'accepted' | 'uncertain' | 'refused';
  /** The last response, which is the accepting one if there is one. */
  readonly reply: HttpReply | null;
  /** The status of each response, or the error code of each failed connection, in order. */
  readonly tries: readonly string[];
}

const retryAfterMs = 250;

/**
 * Requests an operation and retries it at the next API, always under one idempotency key, until it is accepted or
 * uncertain, or the time `until`.
 */
export async function callWithRetries(
  world: World,
  operation: Operation,
  first: number,
  until: () => number,
): Promise<CallResult> {
  const { apis } = world.installation;
  const tries: string[] = [];
  let reply: HttpReply | null = null;
  for (let turn = first; tries.length === 0 || Date.now() < until(); turn++) {
    const api = apis[turn % apis.length] as Api;
    try {
      reply = await world.send(api, operation.call);
      tries.push(String(reply.status));
      if (operation.isRight(reply) || reply.status === 202) return { operation, outcome: 'accepted', reply, tries };
      if (codeOf(reply) === 'delivery_uncertain') return { operation, outcome: 'uncertain', reply, tries };
    } catch (error) {
      tries.push((error as NodeJS.ErrnoException).code ?? (error as Error).name);
    }
    await sleep(retryAfterMs);
  }
  return { operation, outcome: 'refused', reply: null, tries };
}

function codeOf(reply: HttpReply): string | undefined {
  if (!String(reply.headers['content-type']).startsWith('application/problem+json')) return undefined;
  return jsonOf<{ code?: string }>(reply).code;
}

/** Reports requests that failed with a status that is not `expected`. */
export function noneFailed(results: readonly CallResult[], expected: readonly string[] = []): string[] {
  const tries = results.flatMap((result) => result.tries);
  const failed = tries.filter((status) => !status.startsWith('2') && !expected.includes(status));
  return failed.length === 0 ? [] : [`${failed.length} requests failed: ${[...new Set(failed)].join(', ')}`];
}

/** An e-mail waits for its PDF, on a slow machine for seconds. */
const attemptTimeoutMs = 10_000;

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
  while (Date.now() < begun + patienceMs) {
    if (await works(world, api, kind)) return (Date.now() - begun) / 1000;
    await sleep(100);
  }
  world.broken.push(`after ${patienceMs / 1_000} s ${kind.name} does not work at ${api.url}`);
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

export interface LoadOptions {
  readonly kinds: readonly OperationKind[];
  /** Operations that are requested before new ones are made. */
  readonly prepared: readonly Operation[];
  readonly everyMs: number;
}

/** Requests operations at a steady rate on the APIs in turn, with retries, until `end`. */
export class Load {
  private readonly calls: Promise<CallResult>[] = [];
  private readonly running: Promise<void>;
  private ended = false;
  private until = Infinity;

  constructor(
    private readonly world: World,
    private readonly options: LoadOptions,
  ) {
    this.running = this.run();
    // Reported by `end`.
    this.running.catch(() => undefined);
  }

  /**
   * Requests no more operations, and returns the results of all. @throws {Error} when an operation could not be made.
   */
  async end(): Promise<CallResult[]> {
    this.ended = true;
    this.until = Date.now() + patienceMs;
    await this.running;
    return Promise.all(this.calls);
  }

  private async run(): Promise<void> {
    const { kinds, prepared, everyMs } = this.options;
    for (let index = 0; !this.ended; index++) {
      const kind = kinds[index % kinds.length] as OperationKind;
      const operation = prepared[index] ?? (await kind.make(this.world));
      this.calls.push(callWithRetries(this.world, operation, index, () => this.until));
      await sleep(everyMs);
    }
  }
}
