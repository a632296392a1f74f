import { cpus } from 'node:os';
import type { Supervisor } from '../dev/launcher/supervisor';
import { TaskProcess } from '../dev/tasks/TaskProcess';
import { startInstallation } from './installation/startInstallation';
import type { LoadTask } from './load/LoadTask';
import { measureInTurns } from './measuring/measureInTurns';
import { measureMemory } from './measuring/measureMemory';
import type { Sample } from './measuring/Sample';
import type { Options } from './options';
import type { Report } from './report/Report';
import { rows } from './rows';
import { FreshInvoices } from './rows/FreshInvoices';
import type { Bench } from './rows/Row';

/** `--only memory` measures only memory. It is not a row, because it has no rate. */
export const memoryName = 'memory';

/** Starts an installation and measures the selected rows. The supervisor ends all of it. */
export async function runRows(
  { only, rounds, seconds, quick, profile }: Options,
  dataDir: string,
  supervisor: Supervisor,
  log: (line: string) => void,
): Promise<Report> {
  log('starting MySQL, Redis, the API, a worker and a mail catcher …');
  const installation = await startInstallation({ dataDir, supervisor, profile, log });
  const startMeasurer = <Task>(script: string): TaskProcess<Task, Sample> => {
    const measurer = TaskProcess.start<Task, Sample>(script);
    supervisor.add(measurer);
    return measurer;
  };
  const load = startMeasurer<LoadTask>('dist/bench/load/index.js');
  const bench: Bench = { installation, load, fresh: new FreshInvoices(installation), dataDir, startMeasurer };
  const measured: Report['rows'] = [];
  for (const row of rows.filter(({ name }) => only.length === 0 || only.includes(name))) {
    log(`measuring ${row.what} …`);
    measured.push({ row, result: await measureInTurns(await row.prepare(bench), { rounds, seconds }) });
  }
  const watchGrowth = only.length === 0 ? !quick : only.includes(memoryName);
  log('looking at memory …');
  const memory = await measureMemory(bench, watchGrowth);
  const [version] = await installation.services.sql.rows<{ version: string }>('SELECT VERSION() AS version');
  const machine = {
    cores: cpus().length,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    node: process.versions.node,
    database: version?.version ?? '',
  };
  await installation.services.close();
  return { machine, rounds, seconds, rows: measured, memory };
}
