import { type LookupAddress, Resolver } from 'node:dns';
import { performance } from 'node:perf_hooks';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { MOST_OF_FAMILY, type Answer } from './checkedLookup';

/** The thread of {@link PublicNames}: looks up each name that it is sent, and does nothing else. */

/** The thread gets it when it starts. */
export interface NamesData {
  readonly servers: readonly string[] | undefined;
}

/** The answer is sent to the port. */
export interface Question {
  readonly hostname: string;
  readonly port: MessagePort;
}

/** The time-out of one query to a name server. It is retried once. */
const QUERY_MS = 2_000;

const { servers } = workerData as NamesData;
let measuredMs = 0;

/**
 * Returns for how long this thread was busy since the last call, in milliseconds. An answer is read immediately before its callback, so
 * what passed before belongs to questions and to other answers, each of which is measured by itself.
 */
function busySinceLastMs(): number {
  const { active } = performance.eventLoopUtilization();
  const ms = active - measuredMs;
  measuredMs = active;
  return ms;
}

function ask(resolver: Resolver, hostname: string, family: 4 | 6): Promise<Answer> {
  return new Promise((resolve) => {
    const done = (error: NodeJS.ErrnoException | null, found: string[] | undefined): void => {
      const addresses = (found ?? []).slice(0, MOST_OF_FAMILY).map((address): LookupAddress => ({ address, family }));
      resolve({ addresses, costMs: busySinceLastMs(), code: error?.code });
    };
    if (family === 6) resolver.resolve6(hostname, done);
    else resolver.resolve4(hostname, done);
  });
}

async function lookUp(hostname: string): Promise<Answer> {
  // A new one reads which name servers the machine has now.
  const resolver = new Resolver({ timeout: QUERY_MS, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  busySinceLastMs();
  const [six, four] = await Promise.all([ask(resolver, hostname, 6), ask(resolver, hostname, 4)]);
  const addresses = [...six.addresses, ...four.addresses];
  return { addresses, costMs: six.costMs + four.costMs, code: four.code };
}

parentPort?.on('message', ({ hostname, port }: Question) => {
  const failed = ({ code = 'ESERVFAIL' }: NodeJS.ErrnoException): Answer => ({ addresses: [], costMs: 0, code });
  void lookUp(hostname)
    .catch(failed)
    .then((answer) => port.postMessage(answer));
});
