import type { Config } from '../../../config/env';
import { ConfigurationError } from '../../../config/ConfigurationError';
import { readRedisUrl, redisHosts } from '../../../config/redisUrl';
import { broken, type Check, type Finding, ok, reasonOf } from '../../../shared/engine/checks';
import { openUsableRedis, replyOf, type UsableServer } from '../../../shared/engine/redis';
import { checkScripts } from './scripts';
import { evictionFinding, persistenceFinding, readInfo, versionFinding } from './server';

export interface RedisChecks {
  readonly checks: readonly Check[];
  close(): void;
}

/** The checks of the server that REDIS_URL names, or of each primary of a cluster, over one connection to each. */
export function redisChecks(config: Config): RedisChecks {
  let servers: UsableServer[] = [];
  const hosts = redisHosts(readRedisUrl(config.redisUrl));
  const connect = async (): Promise<Finding> => {
    try {
      servers = await openUsableRedis(config.redisUrl);
      const names = servers.map(({ name }) => name).join(', ');
      return ok(names === hosts ? `${hosts} takes commands` : `${hosts} leads to ${names}, which take commands`);
    } catch (error) {
      return connectionFinding(hosts, error);
    }
  };
  const connection: Check = { name: 'Redis: connection', variables: ['REDIS_URL'], run: connect };
  const check = (name: string, find: (server: UsableServer) => Finding | Promise<Finding>): Check => ({
    name: `Redis: ${name}`,
    needs: connection,
    run: async () => worstOf(servers, await Promise.all(servers.map(async (server) => find(server)))),
  });
  return {
    checks: [
      connection,
      check('version', ({ info }) => versionFinding(readInfo(info))),
      { name: 'Redis: scripts', needs: connection, run: () => checkScripts(config) },
      check('eviction', ({ info }) => evictionFinding(readInfo(info))),
      check('persistence', ({ redis, info }) => persistenceFinding(readInfo(info), redis)),
    ],
    close: () => servers.forEach(({ redis }) => redis.disconnect()),
  };
}

/** Returns the finding that is worst, with the name of its server where there are several. */
function worstOf(servers: readonly UsableServer[], findings: readonly Finding[]): Finding {
  const finding = (['broken', 'warning'] as const)
    .map((worst) => findings.find(({ status }) => status === worst))
    .concat(findings)
    .find((found) => found !== undefined);
  if (finding === undefined) throw new Error('there is no connection');
  const { name } = servers[findings.indexOf(finding)] ?? {};
  return servers.length === 1 ? finding : { ...finding, message: `${name}: ${finding.message}` };
}

function connectionFinding(hosts: string, error: unknown): Finding {
  if (error instanceof ConfigurationError) {
    return broken(
      error.problems.join('. '),
      'Set REDIS_URL to one Redis or Valkey server, to Sentinels or to a cluster.',
    );
  }
  const remedy =
    replyOf(error) === null
      ? 'Start Redis, or correct REDIS_URL (rediss:// for TLS; NODE_EXTRA_CA_CERTS for its authority).'
      : 'Correct the user and the password in REDIS_URL, and let the account run INFO. Encode @ : / % in them.';
  return broken(`${hosts} cannot be used: ${reasonOf(error)}`, remedy);
}
