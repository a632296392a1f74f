import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Supervisor } from '../dev/launcher/supervisor';
import { guardFolder } from '../dev/servers/guard';
import { parseOptions } from './options';
import { jsonOf } from './report/json';
import { tableOf } from './report/table';
import { rows } from './rows';
import { memoryName, runRows } from './runRows';

/** Progress goes to stderr: stdout is the result. */
const log = (line: string): void => void process.stderr.write(`${line}\n`);

/** Resolves with the exit code of an interrupted run. */
function interruption(): Promise<number> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => resolve(130));
  });
}

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2), [...rows.map(({ name }) => name), memoryName]);
  const dataDir = mkdtempSync(join(tmpdir(), 'invoicing-bench-'));
  guardFolder(dataDir);
  mkdirSync(join(dataDir, 'run'));
  const supervisor = new Supervisor();
  try {
    const measured = runRows(options, dataDir, supervisor, log).then((report) => {
      process.stdout.write(`${options.json ? jsonOf(report) : tableOf(report)}\n`);
      return 0;
    });
    return await Promise.race([measured, supervisor.broken, interruption()]);
  } finally {
    log('ending everything …');
    await supervisor.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

main().then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
