import {
  prepareInstallation,
  preload,
  startProcesses,
  type Installation as Empty,
} from '../../dev/installation/startInstallation';
import { Machine } from '../../dev/installation/Machine';
import type { ThrowAwayRun } from '../../dev/installation/runInThrowAwayFolder';
import type { Baseline } from '../limits';
import { seedExpenses, type SeededExpenses } from './seedExpenses';
import { seedInvoices, type Seeded } from './seedInvoices';

/** The measured installation: one API and one worker, with records. */
export interface Installation extends Empty {
  apiUrl: string;
  /** The environment of the processes of this installation. */
  variables: Readonly<Record<string, string>>;
  seeded: Seeded & { expenses: SeededExpenses };
  pids: { api: number; worker: number; servers: readonly number[] };
  /** Starts the server of this baseline on the same database. Resolves with its address. */
  startServer: (name: Baseline, variables?: Record<string, string>) => Promise<string>;
  /** Starts a process of the service. Resolves when it takes work. */
  startProcess: (name: string, entry: 'api' | 'workers', variables: Record<string, string>) => Promise<Machine>;
}

/** @param profile folder for CPU profiles of the API and the worker, or null */
export async function startInstallation(run: ThrowAwayRun, profile: string | null): Promise<Installation> {
  const { dataDir, supervisor, log } = run;
  const empty = await prepareInstallation(run, {
    ...{ apis: 1, workers: 1, proxied: false, areVital: true },
    variables: {
      // The load names a network for each request where one network may send few.
      TRUST_PROXY: 'true',
      // Scans are measured in another process.
      WORKER_QUEUES: 'email,pdf,payment-link,import,webhook',
      NODE_OPTIONS: ['reportHeap', ...(profile === null ? [] : ['profile'])].map(preload).join(' '),
      ...(profile !== null && { BENCH_PROFILE: profile }),
    },
  });
  const { services, mysql, redis, databaseUrl } = empty;
  log('seeding …');
  const invoices = await seedInvoices(services);
  const seeded = { ...invoices, expenses: await seedExpenses(services, invoices) };
  await startProcesses(empty);
  const [api, worker] = [empty.apis[0]?.machine, empty.workers[0]?.machine] as [Machine, Machine];
  const start = async (name: string, script: string, variables: Record<string, string>): Promise<Machine> => {
    const machine = new Machine({ name, script, dataDir, variables });
    supervisor.add(machine);
    await machine.start();
    return machine;
  };
  return {
    ...empty,
    apiUrl: api.url,
    variables: { ...api.variables, NODE_OPTIONS: '' },
    seeded,
    pids: { api: api.pid, worker: worker.pid, servers: [mysql.pid, redis.pid] },
    startServer: async (name, given = {}) => {
      const own = {
        BASELINE: name,
        DATABASE_URL: databaseUrl,
        COMPANY_ID: String(seeded.companyId),
        NODE_ENV: 'production',
      };
      return (await start(name, 'dist/bench/limits/index.js', { ...own, ...given })).url;
    },
    startProcess: (name, entry, given) => start(name, `dist/${entry}/index.js`, given),
  };
}
