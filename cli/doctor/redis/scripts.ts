import type { Config } from '../../../config/env';
import { readRedisUrl } from '../../../config/redisUrl';
import { broken, type Finding, ok } from '../../../shared/engine/checks';
import { openClientOnce, replyCodeOf, replyOf, runsScripts } from '../../../shared/engine/redis';

/** Checks that Redis runs a script that writes, as the queues do, with the keys of each. */
export async function checkScripts({ redisUrl, queuePrefixes }: Config): Promise<Finding> {
  const redis = await openClientOnce(readRedisUrl(redisUrl));
  const prefixes = [...new Set(Object.values(queuePrefixes))];
  try {
    for (const prefix of prefixes) await runsScripts(redis, prefix);
    return ok(`scripts may write keys that begin with ${prefixes.join(', ')}`);
  } catch (error) {
    const remedy = remedies[replyCodeOf(error) ?? ''];
    if (remedy === undefined) throw error;
    return broken(`Redis refuses a script that writes: ${replyOf(error)}`, remedy);
  } finally {
    redis.disconnect();
  }
}

const remedies: Readonly<Record<string, string>> = {
  READONLY: 'Let REDIS_URL lead to the primary: it names a replica.',
  OOM: 'Raise maxmemory of Redis, or remove what other programs keep in it.',
  NOPERM: 'Let the account run scripts and all commands on keys that begin with REDIS_PREFIX.',
  MISCONF: 'Redis cannot write its snapshots: look at its log and its disk.',
};
