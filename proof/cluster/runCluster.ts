import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ThrowAwayRun } from '../../dev/installation/runInThrowAwayFolder';
import { installMissingServers } from '../../dev/servers/installSystemPackages';
import type { Options } from '../command/options';
import type { FaultResult } from '../faults/Fault';
import { playFault } from '../faults/runFaults';
import { untilTrue } from '../installation/untilTrue';
import { startInstallation } from '../installation/startInstallation';
import { engines, rows, type Engine } from './rows';

/** Plays the selected rows of each engine on an installation of its own, one after the other. */
export async function runCluster(
  run: ThrowAwayRun,
  options: Options,
  report: (result: FaultResult) => void,
): Promise<FaultResult[]> {
  const selected = rows.filter(({ name }) => options.only.length === 0 || options.only.includes(name));
  const results: FaultResult[] = [];
  for (const engine of Object.keys(engines) as Engine[]) {
    const ofEngine = selected.filter((row) => row.engine === engine);
    if (ofEngine.length > 0) results.push(...(await runEngine(run, engine, ofEngine, options, report)));
  }
  return results;
}

async function runEngine(
  { log, supervisor, dataDir: parent }: ThrowAwayRun,
  engine: Engine,
  ofEngine: typeof rows,
  options: Options,
  report: (result: FaultResult) => void,
): Promise<FaultResult[]> {
  const dataDir = join(parent, engine);
  mkdirSync(join(dataDir, 'run'), { recursive: true });
  await installMissingServers(['redis'], log);
  log(`starting ${engines[engine].what} …`);
  const servers = await engines[engine].start(dataDir, log);
  supervisor.add(servers);
  const installation = await startInstallation(
    { log, supervisor, dataDir },
    { apis: 2, workers: 2, proxied: false, redisUrl: servers.url, variables: { JOB_WAIT_MS: '10000' } },
  );
  const { services, apis, workers, mysql } = installation;
  const results: FaultResult[] = [];
  try {
    for (const row of ofEngine) {
      const result = await playFault(installation, row.on(servers), options, log, () =>
        untilTrue('the servers are whole', () => servers.isWhole()),
      );
      report(result);
      results.push(result);
    }
    return results;
  } finally {
    cpSync(join(dataDir, 'logs'), join(parent, 'logs', engine), { recursive: true });
    await Promise.all([...apis, ...workers].map(({ machine }) => machine.stop()));
    await services.close();
    await Promise.all([mysql.stop(), servers.stop()]);
  }
}
