import { join } from 'node:path';
import { startRedisCluster } from '../../proof/installation/RedisServers';
import { benchBeside, type BenchBeside } from '../installation/benchBeside';
import { apiLoad, type Requests } from './apiLoad';
import { creates } from './writes';
import { reads } from './reads';
import type { Bench, Row } from './Row';
import { sends, sentInvoices } from './emails';

const pairs = new WeakMap<Bench, Promise<Pair>>();

interface Pair {
  readonly cluster: BenchBeside;
  readonly single: BenchBeside;
}

/** Two installations of one API and one worker, which the rows share. */
function pairOf(bench: Bench): Promise<Pair> {
  const known = pairs.get(bench) ?? startPair(bench);
  pairs.set(bench, known);
  return known;
}

async function startPair(bench: Bench): Promise<Pair> {
  const redis = await startRedisCluster(join(bench.dataDir, 'redis-cluster'), () => undefined);
  const start = async (name: string, variables: Record<string, string>): Promise<BenchBeside> => {
    const beside = await benchBeside(bench, name, variables);
    await beside.startApi();
    await beside.startWorker();
    return beside;
  };
  return { cluster: await start('redis_cluster', { REDIS_URL: redis.url }), single: await start('redis_single', {}) };
}

/** Rates on a Redis Cluster of three primaries and three replicas, against one Redis. */
export const redisClusterRows: readonly Row[] = [
  row('get', 'GET /api/invoices/{id}', (bench) => Promise.resolve(reads(bench))),
  row('create', 'POST /api/invoices (3 items)', (bench) => Promise.resolve(creates(bench))),
  row('email', 'POST …/send-email, over SMTP', async (bench) => sends(await sentInvoices(bench))),
];

function row(name: string, what: string, requests: (bench: Bench) => Promise<Requests>): Row {
  return {
    name: `redis-cluster-${name}`,
    what: `${what}, on a Redis Cluster`,
    limit: { what: 'the same on one Redis', atLeast: 0.9 },
    async prepare(bench) {
      const { cluster, single } = await pairOf(bench);
      return {
        project: apiLoad(cluster, await requests(cluster)),
        limit: apiLoad(single, await requests(single)),
      };
    },
  };
}
