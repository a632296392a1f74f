import { runInThrowAwayFolder } from '../dev/installation/runInThrowAwayFolder';
import { parseOptions } from './options';
import { jsonOf } from './report/json';
import { tableOf } from './report/table';
import { rows } from './rows';
import { figures } from './figures';
import { runRows } from './runRows';

runInThrowAwayFolder('bench', async ({ dataDir, supervisor, log }) => {
  const options = parseOptions(
    process.argv.slice(2),
    [...rows, ...figures].map(({ name }) => name),
  );
  const report = await runRows(options, dataDir, supervisor, log);
  process.stdout.write(`${options.json ? jsonOf(report) : tableOf(report)}\n`);
  return 0;
});
