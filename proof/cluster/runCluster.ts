import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from './Engine';
import { bucket } from './engines/bucket';
import { galera } from './engines/galera';
import { grow } from './engines/playGrowth';
import { redisCluster, redisSentinel } from './engines/redis';
import { semiSync } from './engines/semiSync';
import type { ThrowAwayRun } from '../../dev/installation/runInThrowAwayFolder';
import type { Options } from '../command/runProof';
import type { FaultResult } from '../faults/Fault';
import { playFault, resultOf } from '../faults/runFaults';
import { untilTrue } from '../installation/waiting';
import { startInstallation } from '../../dev/installation/startInstallation';

/** All engines, in the order in which their rows are played. */
export const engines: readonly Engine[] = [redisCluster, redisSentinel, galera, semiSync, bucket, grow];

/** Plays the selected rows of each engine on an installation of its own, one after the other. */
export async function runCluster(
  run: ThrowAwayRun,
  options: Options,
  report: (result: FaultResult) => void,
): Promise<FaultResult[]> {
  const results: FaultResult[] = [];
  const add = (result: FaultResult): void => {
    report(result);
    results.push(result);
  };
  for (const engine of engines) {
    const selected = engine.rows.filter(({ name }) => options.only.length === 0 || options.only.includes(name));
    if (selected.length === 0) continue;
    const skipped = await engine.impossible(run.log);
    if (skipped === null) await runEngine(run, engine, selected, options, add);
    else selected.forEach((row) => add(resultOf(row, [], skipped)));
  }
  return results;
}

async function runEngine(
  { log, supervisor, dataDir: parent }: ThrowAwayRun,
  engine: Engine,
  selected: Engine['rows'],
  options: Options,
  add: (result: FaultResult) => void,
): Promise<void> {
  const dataDir = join(parent, engine.name);
  mkdirSync(join(dataDir, 'run'), { recursive: true });
  log(`starting ${engine.what} …`);
  const servers = await engine.start(dataDir, log);
  supervisor.add(servers);
  const { variables, ...settings } = servers.settings;
  const installation = await startInstallation(
    { log, supervisor, dataDir },
    { apis: 2, workers: 2, proxied: false, ...settings, variables: { JOB_WAIT_MS: '10000', ...variables } },
  );
  const { services, apis, workers, mysql, redis } = installation;
  const untilWhole = (): Promise<void> => untilTrue('the servers are whole', () => servers.isWhole());
  try {
    for (const fault of servers.faults.filter((each) => selected.some(({ name }) => name === each.name))) {
      add(await playFault(installation, fault, options, log, untilWhole));
    }
  } finally {
    cpSync(join(dataDir, 'logs'), join(parent, 'logs', engine.name), { recursive: true });
    await Promise.all([...apis, ...workers].map(({ machine }) => machine.stop()));
    await services.close();
    await Promise.all([mysql.stop(), redis.stop(), servers.stop()]);
  }
}
