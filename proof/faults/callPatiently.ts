import { setTimeout as sleep } from 'node:timers/promises';
import { jsonOf, type HttpReply } from '../installation/HttpClient';
import type { Api } from '../installation/startInstallation';
import type { Operation } from './operations/Operation';
import type { World } from './World';

/** How a caller fared with one operation. */
export interface CallResult {
  readonly operation: Operation;
  readonly outcome: 'accepted' | 'uncertain' | 'refused';
  /** The last response: the one that accepted, where one did. */
  readonly reply: HttpReply | null;
  /** Each response's status, or the code of a connection's failure, in turn. */
  readonly tries: readonly string[];
}

const retryAfterMs = 250;

/**
 * Asks for an operation as a careful caller does: under one idempotency key, of the next API after a failure, until it is
 * accepted, it is uncertain, or `until` has come.
 */
export async function callPatiently(
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
