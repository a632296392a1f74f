import { runInThrowAwayFolder } from '../dev/installation/runInThrowAwayFolder';
import { readOptions } from './options';
import { jsonOf, scaleTableOf, tableOf } from './report';
import { rows } from './rows';
import { figures } from './figures';
import { runRows } from './runRows';
import { measureScale } from './scale/measureScale';

const options = readOptions([...rows, ...figures].map(({ name }) => name));

runInThrowAwayFolder('bench', async ({ dataDir, supervisor, log }) => {
  if (options.scale) {
    const results = await measureScale(dataDir, supervisor, log);
    process.stdout.write(`${options.json ? JSON.stringify(results, null, 2) : scaleTableOf(results)}\n`);
    return 0;
  }
  const report = await runRows(options, dataDir, supervisor, log);
  process.stdout.write(`${options.json ? jsonOf(report) : tableOf(report)}\n`);
  return 0;
});
