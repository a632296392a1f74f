import { setTimeout as sleep } from 'node:timers/promises';
import { jsonOf, type HttpReply } from '../installation/HttpClient';
import type { Api } from '../../dev/installation/startInstallation';
import type { Operation } from './operations/Operation';
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
