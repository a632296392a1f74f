/** Connections to Redis. */
export { guardRedis, openUsableRedis, type UsableServer } from './guardRedis';
export { openClientOnce, type RedisClient } from './openClient';
export { disconnectRedis, RedisConnections } from './RedisConnections';
export { replyCodeOf, replyOf } from './replies';
export { runsScripts } from './runsScripts';
export { removeInBatches } from './removeInBatches';
