import { readConfig } from '../../config/env';
import { runChecks } from '../../shared/engine/checks';
import { runEntry } from '../../shared/engine/process';
import { workerChecks } from './checks';

/** The entry of a process that the command `doctor` starts. Runs the checks that only workers need, and sends the results to its parent. */
runEntry(async () => {
  const { config, problems } = readConfig('worker');
  const wrongVariables = new Set(problems.map(({ variable }) => variable));
  const results = await runChecks(workerChecks(config), { wrongVariables });
  // A check that timed out may still hold a connection or a browser.
  process.on('disconnect', () => process.exit(1));
  process.send?.(results, () => process.exit(0));
});
