/** Connections to Redis. */
export { guardRedis, openUsableRedis } from './guardRedis';
export { disconnectRedis, RedisConnections } from './RedisConnections';
export { replyCodeOf, replyOf } from './replies';
export { runsScripts } from './runsScripts';
export { sweep } from './sweep';
