// `npm test -- [jest's own arguments]`. Builds as well: the scenario tests run the processes as they are deployed.
import os from 'node:os';
import './bootstrap/requireNode.mjs';
import { bootstrap } from './bootstrap/bootstrap.mjs';

await bootstrap();
const given = process.argv.slice(2);
if (!given.some((argument) => /^(-w|--maxWorkers|-i$|--runInBand)/.test(argument))) {
  // Jest's own choice is one less than the cores. A third of the time the tests wait: for processes, leases and time-outs.
  process.argv.push(`--maxWorkers=${os.availableParallelism() + 1}`);
}
await import('../node_modules/jest/bin/jest.js');
