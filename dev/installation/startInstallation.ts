import { join } from 'node:path';
import { loadConfig } from '../../config/env';
import { productionVariables } from './productionVariables';
import type { ThrowAwayRun } from './runInThrowAwayFolder';
import { callbackUrlOf, providerVariables } from '../launcher/environment';
import { startPart, type ReadyMessage } from '../launcher/part';
import { ensureDatabase } from '../servers/ensureDatabase';
import { freePort } from '../servers/freePort';
import { installMissingServers } from '../servers/installSystemPackages';
import { startPrivateMysql } from '../servers/privateMysql';
import { startPrivateRedis } from '../servers/privateRedis';
import { projectRoot } from '../../config/paths';
import { migrateUp } from '../../shared/engine/migrations/migrate';
import { createLogger } from '../../shared/engine/log/log';
import type { Services } from '../../shared/services';
import { openServices } from '../../shared/openServices';
import { DataServer } from './DataServer';
import { Machine } from './Machine';
import { SmallDisks } from './SmallDisks';
import { directRoute, proxiedRoute, type Route } from './Route';

export interface InstallationOptions {
  readonly apis: number;
  readonly workers: number;
  /** True if each process connects to MySQL and Redis through its own proxy, which can break its connections. */
  readonly proxied: boolean;
  /** A running Redis, instead of a private server. */
  readonly redisUrl?: string;
  /** A database on a running MySQL, instead of a private server. It is created if missing. */
  readonly databaseUrl?: string;
  /** True if the run must end when an API or worker ends by itself. */
  readonly areVital?: boolean;
  /** Variables that override those of every API and worker. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A process, and its connections to MySQL and Redis. */
export interface Wired {
  readonly machine: Machine;
  readonly mysql: Route;
  readonly redis: Route;
}

export interface Api extends Wired {
  readonly url: string;
}

/** Private servers, APIs and workers as in production, a mail catcher and a sandbox gateway; empty. */
export interface Installation {
  readonly dataDir: string;
  /** Does not run where another MySQL was given. */
  readonly mysql: DataServer;
  /** Does not run where another Redis was given. */
  readonly redis: DataServer;
  readonly apis: readonly Api[];
  readonly workers: readonly Wired[];
  /** The workers' connection to the mail server. */
  readonly smtp: Route;
  readonly disks: SmallDisks;
  readonly databaseUrl: string;
  readonly mailboxUrl: string;
  readonly gatewayUrl: string;
  /** The same database and files, for seeding and counting. */
  readonly services: Services;
}

const gatewaySecrets = { secretKey: 'sandbox_throw_away', callbackToken: 'callback-token-to-throw-away' };

/** Returns the file with the event loop delays of a process. */
export const lagFileOf = (dataDir: string, name: string): string => join(dataDir, 'logs', `${name}.lag`);

/** Returns the NODE_OPTIONS that preload a compiled file of this folder. */
export const preload = (name: string): string =>
  `--require=${join(projectRoot, 'dist/dev/installation', `${name}.js`)}`;

/** Starts everything on free ports. The supervisor ends all of it. */
export async function startInstallation(run: ThrowAwayRun, options: InstallationOptions): Promise<Installation> {
  const installation = await prepareInstallation(run, options);
  await startProcesses(installation);
  return installation;
}

/** Starts the APIs and the workers of a prepared installation. The first one writes the file store's id. */
export async function startProcesses({ apis, workers }: Installation): Promise<void> {
  await apis[0]?.machine.start();
  await Promise.all([...apis.slice(1), ...workers].map(({ machine }) => machine.start()));
}

/** Starts the servers, the mail catcher and the gateway on free ports, and migrates the database. */
export async function prepareInstallation(run: ThrowAwayRun, options: InstallationOptions): Promise<Installation> {
  const { dataDir, supervisor, log } = run;
  const disks = new SmallDisks();
  supervisor.add(disks);
  await installMissingServers(['mysql', 'redis'], log);
  const server = (start: typeof startPrivateMysql, name: string): DataServer =>
    new DataServer(() => start({ dataDir: join(dataDir, name), durable: true, log }));
  const [mysql, redis] = [server(startPrivateMysql, 'mysql'), server(startPrivateRedis, 'redis')];
  supervisor.add(mysql, redis);
  await Promise.all([
    ...(options.databaseUrl === undefined ? [mysql.start()] : []),
    ...(options.redisUrl === undefined ? [redis.start()] : []),
  ]);
  const redisUrl = (): string => options.redisUrl ?? redis.url;
  const databaseUrl = (): string => options.databaseUrl ?? `${mysql.url}/invoicing`;
  await ensureDatabase(databaseUrl());
  await migrateUp(databaseUrl());

  const standIn = async (name: string, variables: Record<string, string>): Promise<ReadyMessage> => {
    const script = `dist/dev/${name}/index.js`;
    const environment = { ...process.env, ...variables };
    const part = startPart({ name, script, environment, dataDir, stopWithinMs: 10_000, log });
    supervisor.add(part);
    return part.ready;
  };
  const ports = await Promise.all(Array.from({ length: options.apis }, () => freePort()));
  const [mail, pay] = await Promise.all([
    standIn('mailCatcher', { MAIL_CATCHER_SMTP_PORT: '0', MAIL_CATCHER_HTTP_PORT: '0', MAIL_CATCHER_DIR: '' }),
    standIn('sandboxGateway', {
      SANDBOX_GATEWAY_PORT: '0',
      SANDBOX_SECRET_KEY: gatewaySecrets.secretKey,
      SANDBOX_CALLBACK_TOKEN: gatewaySecrets.callbackToken,
      SANDBOX_CALLBACK_URL: callbackUrlOf(`http://127.0.0.1:${ports[ports.length - 1]}`),
      SANDBOX_DATA_FILE: '',
      SANDBOX_PUBLIC_URL: '',
    }),
  ]);
  const gatewayUrl = `http://127.0.0.1:${String(pay['port'])}`;
  const mailboxUrl = `http://127.0.0.1:${String(mail['httpPort'])}`;

  const routeTo = options.proxied ? (target: () => string) => proxiedRoute(target, supervisor) : directRoute;
  const smtp = await routeTo(() => `smtp://127.0.0.1:${String(mail['smtpPort'])}`);
  const variablesOf = (name: string, port: number, own: { mysql: Route; redis: Route }): Record<string, string> => ({
    ...productionVariables({
      ...{ port, dataDir },
      databaseUrl: own.mysql.url,
      redisUrl: own.redis.url,
      smtpUrl: smtp.url,
    }),
    ...providerVariables({ url: gatewayUrl, ...gatewaySecrets }),
    NODE_OPTIONS: preload('recordLag'),
    PROOF_LAG_FILE: lagFileOf(dataDir, name),
    ...options.variables,
  });
  const wired = async (name: string, script: string, port: number): Promise<Wired> => {
    const own = { mysql: await routeTo(databaseUrl), redis: await routeTo(redisUrl) };
    const machine = new Machine({
      name,
      script,
      dataDir,
      variables: variablesOf(name, port, own),
      isVital: options.areVital,
    });
    supervisor.add(machine);
    return { machine, ...own };
  };

  const observed = { mysql: await routeTo(databaseUrl), redis: await routeTo(redisUrl) };
  const config = loadConfig({ ...process.env, ...variablesOf('observer', ports[0] ?? 0, observed), WORKER_QUEUES: '' });
  const services = openServices({ config, log: createLogger('silent', 'proof'), listenTo: [] });
  const apis = await Promise.all(
    ports.map(async (port, index) => ({
      ...(await wired(`api-${index + 1}`, 'dist/api/index.js', port)),
      url: `http://127.0.0.1:${port}`,
    })),
  );
  const workers = await Promise.all(
    Array.from({ length: options.workers }, (_, index) =>
      wired(`worker-${index + 1}`, 'dist/workers/index.js', ports[0] ?? 0),
    ),
  );
  return {
    ...{ dataDir, mysql, redis, apis, workers, smtp, disks, mailboxUrl, gatewayUrl, services },
    databaseUrl: databaseUrl(),
  };
}
