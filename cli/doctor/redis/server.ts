import { RedisConnection } from 'bullmq';
import type { Redis } from 'ioredis';
import { broken, type Finding, ok, warning } from '../../../shared/engine/checks';
import { replyOf } from '../../../shared/engine/redis';

/** The fields of Redis' `INFO`. */
export type Info = ReadonlyMap<string, string>;

/** Reads the text of `INFO`: lines such as `redis_version:7.0.15`. */
export function readInfo(text: string): Info {
  const fields = text.split(/\r?\n/).filter((line) => line.includes(':'));
  return new Map(fields.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

/** Judges the version by what BullMQ needs. */
export function versionFinding(info: Info): Finding {
  const { minimumVersion, recommendedMinimumVersion } = RedisConnection;
  const version = info.get('redis_version') ?? 'unknown';
  // Valkey also reports the version of Redis that it is compatible with.
  const valkey = info.get('valkey_version');
  const name = valkey === undefined ? `Redis ${version}` : `Valkey ${valkey}, compatible with Redis ${version}`;
  if (isOlder(version, minimumVersion)) {
    return broken(`${name} is too old`, `Use Redis ${recommendedMinimumVersion} or newer, or Valkey.`);
  }
  if (isOlder(version, recommendedMinimumVersion)) {
    return warning(
      `${name} is old`,
      `Use Redis ${recommendedMinimumVersion} or newer: the queues work better with it.`,
    );
  }
  return ok(name);
}

/** Judges whether Redis may delete entries of the queues to make room. */
export function evictionFinding(info: Info): Finding {
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  if (policy === 'noeviction') return ok('maxmemory-policy is noeviction');
  const remedy = 'Set maxmemory-policy noeviction in the configuration of Redis.';
  if (info.get('maxmemory') === '0') {
    return warning(`maxmemory-policy is ${policy}, which has no effect while maxmemory is 0`, remedy);
  }
  return broken(`maxmemory-policy is ${policy}: a full Redis deletes entries of the queues to make room`, remedy);
}

/** Judges whether entries survive a restart of Redis. They are queued again from MySQL otherwise, which takes seconds. */
export async function persistenceFinding(info: Info, redis: Redis): Promise<Finding> {
  if (info.get('aof_enabled') === '1') return ok('the append-only file is on');
  const snapshots = await snapshotRules(redis);
  if (snapshots === null) return ok('not known: this account may not run CONFIG GET');
  const remedy = 'Set appendonly yes in the configuration of Redis.';
  if (snapshots !== '') {
    return warning('only snapshots are on: a crash of Redis loses the entries since the last one', remedy);
  }
  return warning('nothing is written to disk: a restart of Redis loses all entries', remedy);
}

/** Returns the rules of `save`, empty for none; null where providers or accounts do not allow to read them. */
async function snapshotRules(redis: Redis): Promise<string | null> {
  try {
    const [, rules] = await redis.config('GET', 'save');
    return rules ?? '';
  } catch (error) {
    if (replyOf(error) === null) throw error;
    return null;
  }
}

function isOlder(version: string, than: string): boolean {
  const [own, other] = [version, than].map((text) => text.split('.').map((part) => parseInt(part, 10)));
  for (const [index, part] of (other ?? []).entries()) {
    const difference = (own?.[index] ?? 0) - part;
    if (difference !== 0) return difference < 0;
  }
  return false;
}
