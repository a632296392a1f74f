import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ThrowAwayRun } from '../../../dev/installation/runInThrowAwayFolder';
import type { Options } from '../../command/options';
import type { FaultResult } from '../../faults/Fault';
import { playFault } from '../../faults/runFaults';
import { startCephBucket, whyNoCeph } from '../../installation/CephBucket';
import { startInstallation } from '../../installation/startInstallation';
import { bucketRows } from './rows';

/** Plays the selected rows on an installation whose files are in one bucket. Without Ceph they are skipped. */
export async function runBucket(
  { log, supervisor, dataDir: parent }: ThrowAwayRun,
  options: Options,
  report: (result: FaultResult) => void,
): Promise<FaultResult[]> {
  const selected = bucketRows.filter(({ name }) => options.only.length === 0 || options.only.includes(name));
  if (selected.length === 0) return [];
  const results: FaultResult[] = [];
  const add = (result: FaultResult): void => {
    report(result);
    results.push(result);
  };
  const skipped = await whyNoCeph(log);
  if (skipped !== null) {
    for (const { name, what } of selected) add({ ...nothingPlayed, name, what, skipped });
    return results;
  }
  const dataDir = join(parent, 'bucket');
  mkdirSync(join(dataDir, 'run'), { recursive: true });
  log('starting Ceph: a monitor, a store and an S3 server …');
  const bucket = await startCephBucket(dataDir);
  const installation = await startInstallation(
    { log, supervisor, dataDir },
    { apis: 2, workers: 2, proxied: false, variables: { ...bucket.variables, JOB_WAIT_MS: '10000' } },
  );
  const { services, apis, workers, mysql, redis } = installation;
  try {
    for (const row of selected) {
      add(await playFault(installation, row.on(bucket), options, log, () => Promise.resolve()));
    }
    return results;
  } finally {
    cpSync(join(dataDir, 'logs'), join(parent, 'logs', 'bucket'), { recursive: true });
    await Promise.all([...apis, ...workers].map(({ machine }) => machine.stop()));
    await services.close();
    await Promise.all([mysql.stop(), redis.stop(), bucket.stop()]);
  }
}

const nothingPlayed = {
  ...{ problems: [], rounds: 0, accepted: 0, expected: 0, found: 0, lost: 0, doubled: 0, uncertain: 0 },
  recoverySeconds: { median: 0, worst: 0 },
};
