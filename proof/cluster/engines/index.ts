import type { Engine } from '../Engine';
import { bucket } from './bucket';
import { galera } from './galera';
import { grow } from './grow';
import { redisCluster, redisSentinel } from './redis';
import { semiSync } from './semiSync';

/** All engines, in the order in which their rows are played. */
export const engines: readonly Engine[] = [redisCluster, redisSentinel, galera, semiSync, bucket, grow];
