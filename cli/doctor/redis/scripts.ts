import type { Redis } from 'ioredis';
import { broken, type Finding, ok } from '../../../shared/engine/checks';
import { replyCodeOf, replyOf, runsScripts } from '../../../shared/engine/redis';

/** Checks that Redis runs a script that writes, as the queues do. */
export async function checkScripts(redis: Redis, prefix: string): Promise<Finding> {
  try {
    await runsScripts(redis, prefix);
    return ok(`scripts may write keys that begin with ${prefix}`);
  } catch (error) {
    const remedy = remedies[replyCodeOf(error) ?? ''];
    if (remedy === undefined) throw error;
    return broken(`Redis refuses a script that writes: ${replyOf(error)}`, remedy);
  }
}

const remedies: Readonly<Record<string, string>> = {
  READONLY: 'Let REDIS_URL lead to the primary: it names a replica.',
  OOM: 'Raise maxmemory of Redis, or remove what other programs keep in it.',
  NOPERM: 'Let the account run scripts and all commands on keys that begin with REDIS_PREFIX.',
  MISCONF: 'Redis cannot write its snapshots: look at its log and its disk.',
};
