import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createConnection } from 'mysql2/promise';
import type { Sequelize } from 'sequelize';
import { loadConfig } from '../../config/env';
import { endingQueueNames } from '../../config/queues';
import type { Clock } from '../../shared/engine/clock/clock';
import { createLogger, type Logger } from '../../shared/engine/log/log';
import type { RedisClient } from '../../shared/engine/redis';
import type { Services } from '../../shared/services';
import { openServices } from '../../shared/openServices';
import { createFromTemplate } from './schemaTemplate';
import { testModels } from './models';

/** What a test may set otherwise. */
export interface InstallationOptions {
  /** Environment variables over the ones of {@link installation}, as in production. */
  env?: Record<string, string>;
  clock?: Clock;
  log?: Logger;
}

const name = `test_${process.env['JEST_WORKER_ID'] ?? '0'}_${randomBytes(6).toString('hex')}`;
const redisPrefix = `{${name}}`;
/** Errors of a test that fails are printed: see environment.cjs. */
const loggedErrors = ((globalThis as { loggedErrors?: string[] }).loggedErrors ??= []);
const testLog = createLogger('error', 'test', { destination: { write: (line) => void loggedErrors.push(line) } });
const opened: Services[] = [];
const cleanUps: (() => void | Promise<void>)[] = [];
let prepared: Promise<Record<string, string>> | undefined;

/**
 * The environment of this test file's own installation: a migrated database, a Redis prefix and a files folder that no other
 * file uses. Made at the first call; gone after the file's last test.
 */
export function installation(): Promise<Record<string, string>> {
  return (prepared ??= prepare());
}

/**
 * Services on this file's {@link installation}, with Redis connected; closed by themselves after the last test. Sequelize's
 * models belong to the services that were opened last.
 */
export async function openTestServices({
  env = {},
  clock,
  log = testLog,
}: InstallationOptions = {}): Promise<Services> {
  const config = loadConfig({ ...(await installation()), ...env });
  const services = openServices({ config, log, listenTo: endingQueueNames, ...(clock && { clock }) });
  services.sequelize.addModels(testModels);
  opened.push(services);
  if (env['DATABASE_URL'] === undefined) waitForMysql(services.sequelize);
  if (env['REDIS_URL'] === undefined) await waitForRedis(services.queues.redis);
  return services;
}

/** Longer than a machine stalls on which the service would take MySQL or Redis for unreachable after three seconds. */
const PATIENCE_MS = 60_000;

function waitForMysql(sequelize: Sequelize): void {
  sequelize.addHook('beforeConnect', ({ dialectOptions }) => {
    Object.assign(dialectOptions ?? {}, { connectTimeout: PATIENCE_MS });
  });
}

/** Resolves when Redis is connected. */
async function waitForRedis(redis: RedisClient): Promise<void> {
  Object.assign(redis.options, { commandTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS });
  if (redis.status !== 'ready') await once(redis, 'ready');
}

/** Runs after the file's last test, before the services are closed; the latest first. */
export function atEnd(cleanUp: () => void | Promise<void>): void {
  cleanUps.unshift(cleanUp);
}

afterAll(async () => {
  for (const cleanUp of cleanUps) await cleanUp();
  await Promise.all(opened.map((services) => services.close()));
  if (prepared !== undefined) await leaveNothing(await prepared);
});

async function prepare(): Promise<Record<string, string>> {
  const mysqlUrl = required('TEST_MYSQL_URL');
  await createFromTemplate(mysqlUrl, required('TEST_SCHEMA_TEMPLATE'), name);
  const databaseUrl = `${mysqlUrl.replace(/\/+$/, '')}/${name}`;
  return {
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '10',
    REDIS_URL: required('TEST_REDIS_URL'),
    REDIS_PREFIX: redisPrefix,
    FILES_DIR: await mkdtemp(join(tmpdir(), 'invoicing-files-')),
    // However slow the machine is; a test in which no worker runs sets less.
    JOB_WAIT_MS: '60000',
    SECRETS_KEY: randomBytes(32).toString('base64'),
  };
}

async function leaveNothing({
  FILES_DIR: folder = '',
  REDIS_URL: redisUrl = '',
}: Record<string, string>): Promise<void> {
  await administer(required('TEST_MYSQL_URL'), `DROP DATABASE ${name}`);
  await rm(folder, { recursive: true, force: true });
  const redis = new Redis(redisUrl);
  for await (const keys of redis.scanStream({ match: `${redisPrefix}*` })) {
    if ((keys as string[]).length > 0) await redis.unlink(...(keys as string[]));
  }
  redis.disconnect();
}

async function administer(url: string, statement: string): Promise<void> {
  const connection = await createConnection(url);
  try {
    await connection.query(statement);
  } finally {
    await connection.end();
  }
}

function required(variable: string): string {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set: run the tests with npm test`);
  return value;
}
