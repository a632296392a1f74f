import { join } from 'node:path';
import { loadConfig } from '../../config/env';
import { projectRoot } from '../../config/paths';
import {
  catcherVariables,
  gatewayVariables,
  productionVariables,
  wiringOf,
} from '../../dev/installation/productionVariables';
import { callbackUrlOf, providerVariables } from '../../dev/launcher/environment';
import { startPart, type Part } from '../../dev/launcher/part';
import type { Supervisor } from '../../dev/launcher/supervisor';
import { freePort } from '../../dev/servers/freePort';
import { startServers } from '../../dev/servers/startServers';
import { migrateUp } from '../../shared/engine/migrations/migrate';
import { createLogger } from '../../shared/engine/log/log';
import type { Services } from '../../shared/services';
import { openServices } from '../../shared/openServices';
import { seedExpenses, type SeededExpenses } from './seedExpenses';
import { seedInvoices, type Seeded } from './seedInvoices';

export interface InstallationOptions {
  /** An empty folder, removed afterwards. */
  dataDir: string;
  supervisor: Supervisor;
  /** Folder for CPU profiles, or null. */
  profile: string | null;
  log: (line: string) => void;
}

/** The measured installation: durable MySQL and Redis, one API and one worker as in production, a mail catcher and a sandbox gateway. */
export interface Installation {
  apiUrl: string;
  smtpUrl: string;
  databaseUrl: string;
  /** The environment of the processes of this installation. */
  variables: Readonly<Record<string, string>>;
  seeded: Seeded & { expenses: SeededExpenses };
  /** The same database and files, for the benchmark's own queries. */
  services: Services;
  pids: { api: number; worker: number };
  /** Where these processes write the size of their heap when they get SIGUSR2. */
  heapFiles: { api: string; worker: string };
  /** Starts the server of this name in `limits/`, on the same database. Resolves with its address. */
  startServer: (name: string, variables?: Record<string, string>) => Promise<string>;
}

/** Starts everything on free ports and seeds it. The supervisor ends all of it. */
export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const { dataDir, supervisor, log } = options;
  const start = (name: string, script: string, variables: Record<string, string>): Part => {
    const environment = { ...process.env, ...variables };
    const part = startPart({ name, script, environment, dataDir, stopWithinMs: 10_000, log });
    supervisor.add(part);
    return part;
  };
  const servers = await startServers({ databaseUrl: undefined, redisUrl: undefined, dataDir, log });
  supervisor.add(...servers.started);
  const { databaseUrl, redisUrl } = servers;
  const port = await freePort();
  const apiUrl = `http://127.0.0.1:${port}`;
  const [{ smtpPort }, gateway] = await Promise.all([
    start('mail-catcher', 'dist/dev/mailCatcher/index.js', catcherVariables).ready,
    start('sandbox-gateway', 'dist/dev/sandboxGateway/index.js', gatewayVariables(callbackUrlOf(apiUrl))).ready,
  ]);
  const smtpUrl = `smtp://127.0.0.1:${String(smtpPort)}`;
  const gatewayUrl = `http://127.0.0.1:${String(gateway['port'])}`;

  const variables = {
    ...productionVariables({ port, dataDir, databaseUrl, redisUrl, smtpUrl }),
    ...providerVariables(wiringOf(gatewayUrl)),
    // The load names a network for each request where one network may send few.
    TRUST_PROXY: 'true',
    // Scans are measured in another process.
    WORKER_QUEUES: 'email,pdf,payment-link,import,webhook',
  };
  await migrateUp(databaseUrl);
  const config = loadConfig({ ...process.env, ...variables });
  const services = openServices({ config, log: createLogger('warn', 'bench'), listenTo: [] });
  log('seeding …');
  const invoices = await seedInvoices(services);
  const seeded = { ...invoices, expenses: await seedExpenses(services, invoices) };

  const heapFiles = { api: join(dataDir, 'api-heap.txt'), worker: join(dataDir, 'worker-heap.txt') };
  const watched = (name: keyof typeof heapFiles) => watchVariables(name, heapFiles[name], options.profile);
  const api = start('api', 'dist/api/index.js', { ...variables, ...watched('api') });
  const worker = start('worker', 'dist/workers/index.js', { ...variables, ...watched('worker') });
  await Promise.all([api.ready, worker.ready]);
  return {
    apiUrl,
    smtpUrl,
    databaseUrl,
    variables,
    seeded,
    services,
    pids: { api: api.pid, worker: worker.pid },
    heapFiles,
    startServer: async (name, given = {}) => {
      const own = { DATABASE_URL: databaseUrl, COMPANY_ID: String(seeded.companyId), NODE_ENV: 'production' };
      const server = start(name, `dist/bench/limits/${name}.js`, { ...own, ...given });
      return `http://127.0.0.1:${String((await server.ready)['port'])}`;
    },
  };
}

/** Preloads what watches a process from within. */
function watchVariables(name: string, heapFile: string, profile: string | null): Record<string, string> {
  const scripts = ['reportHeap', ...(profile === null ? [] : ['profile'])];
  const preload = scripts.map((script) => `--require=${join(projectRoot, `dist/bench/installation/${script}.js`)}`);
  return {
    NODE_OPTIONS: preload.join(' '),
    BENCH_HEAP: heapFile,
    ...(profile !== null && { BENCH_PROFILE: join(profile, `${name}.cpuprofile`) }),
  };
}
