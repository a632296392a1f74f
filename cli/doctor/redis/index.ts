import type { Redis } from 'ioredis';
import type { Config } from '../../../config/env';
import { ConfigurationError } from '../../../config/env';
import { broken, type Check, type Finding, ok, reasonOf } from '../../../shared/engine/checks';
import { openUsableRedis, replyOf } from '../../../shared/engine/redis';
import { checkScripts } from './scripts';
import { evictionFinding, persistenceFinding, readInfo, versionFinding, type Info } from './server';

/** What the checks after the connection use. */
interface Server {
  readonly redis: Redis;
  readonly info: Info;
}

export interface RedisChecks {
  readonly checks: readonly Check[];
  close(): void;
}

/** The checks of the server that REDIS_URL names, over one connection. */
export function redisChecks({ redisUrl, redisPrefix }: Config): RedisChecks {
  let server: Server | undefined;
  const connect = async (): Promise<Finding> => {
    try {
      const { redis, info } = await openUsableRedis(redisUrl);
      server = { redis, info: readInfo(info) };
      return ok(`${new URL(redisUrl).host} takes commands`);
    } catch (error) {
      return connectionFinding(new URL(redisUrl).host, error);
    }
  };
  const connection: Check = { name: 'Redis: connection', variables: ['REDIS_URL'], run: connect };
  const check = (name: string, find: (server: Server) => Finding | Promise<Finding>): Check => ({
    name: `Redis: ${name}`,
    needs: connection,
    run: async () => {
      if (server === undefined) throw new Error('there is no connection');
      return find(server);
    },
  });
  return {
    checks: [
      connection,
      check('version', ({ info }) => versionFinding(info)),
      check('scripts', ({ redis }) => checkScripts(redis, redisPrefix)),
      check('eviction', ({ info }) => evictionFinding(info)),
      check('persistence', ({ redis, info }) => persistenceFinding(info, redis)),
    ],
    close: () => server?.redis.disconnect(),
  };
}

function connectionFinding(host: string, error: unknown): Finding {
  if (error instanceof ConfigurationError) {
    return broken(error.problems.join('. '), 'Set REDIS_URL to one Redis or Valkey server.');
  }
  const remedy =
    replyOf(error) === null
      ? 'Start Redis, or correct REDIS_URL (rediss:// for TLS; NODE_EXTRA_CA_CERTS for its authority).'
      : 'Correct the user and the password in REDIS_URL, and let the account run INFO. Encode @ : / % in them.';
  return broken(`${host} cannot be used: ${reasonOf(error)}`, remedy);
}
