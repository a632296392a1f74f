import { cpus } from 'node:os';
import type { Supervisor } from '../dev/launcher/supervisor';
import { TaskProcess } from '../dev/tasks/TaskProcess';
import { type Books, seedBooks } from './installation/seedBooks';
import { startInstallation } from './installation/startInstallation';
import type { LoadTask } from './load/LoadTask';
import { measureInTurns } from './measuring/measureInTurns';
import { figures } from './figures';
import type { Sample } from './measuring/Sample';
import type { Options } from './options';
import type { Report } from './report';
import { rows } from './rows';
import { FreshInvoices } from './rows/FreshInvoices';
import type { Bench } from './rows/Row';

/** Starts an installation and measures the selected rows and figures. The supervisor ends all of it. */
export async function runRows(
  { only, rounds, seconds, quick, profile }: Options,
  dataDir: string,
  supervisor: Supervisor,
  log: (line: string) => void,
): Promise<Report> {
  log('starting MySQL, Redis, the API, a worker and a mail catcher …');
  const installation = await startInstallation({ dataDir, supervisor, log }, profile);
  const startMeasurer = <Task>(script: string): TaskProcess<Task, Sample> => {
    const measurer = TaskProcess.start<Task, Sample>(script);
    supervisor.add(measurer);
    return measurer;
  };
  const load = startMeasurer<LoadTask>('dist/bench/load/index.js');
  let books: Promise<Books> | undefined;
  const bench: Bench = {
    ...{ installation, load, fresh: new FreshInvoices(installation), dataDir, startMeasurer },
    books: () => (books ??= seedBooks(installation.services, quick ? 60_000 : 100_000, 2)),
  };
  const measured: Report['rows'] = [];
  const isSelected = ({ name }: { name: string }): boolean => only.length === 0 || only.includes(name);
  for (const row of rows.filter(isSelected)) {
    log(`measuring ${row.what} …`);
    measured.push({ row, result: await measureInTurns(await row.prepare(bench, quick), { rounds, seconds }) });
  }
  const findings: Report['findings'] = [];
  for (const figure of figures.filter(isSelected)) {
    log(`measuring ${figure.what} …`);
    findings.push(...(await figure.measure(bench, quick, { rounds, seconds })));
  }
  const [version] = await installation.services.sql.rows<{ version: string }>('SELECT VERSION() AS version');
  const machine = {
    cores: cpus().length,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    node: process.versions.node,
    database: version?.version ?? '',
  };
  await installation.services.close();
  return { machine, rounds, seconds, rows: measured, findings };
}
