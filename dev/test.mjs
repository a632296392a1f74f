// `npm test -- [jest's own arguments]`. Builds first: the tests run the compiled modules.
import os from 'node:os';
import v8 from 'node:v8';
import './bootstrap/requireNode.mjs';
import { bootstrap } from './bootstrap/bootstrap.mjs';

await bootstrap();
const given = process.argv.slice(2);
if (!given.some((argument) => /^(-w|--maxWorkers|-i$|--runInBand)/.test(argument))) {
  // Jest's own choice is one less than the cores. Half of the time the tests wait: for processes, leases and time-outs.
  process.argv.push(`--maxWorkers=${os.availableParallelism() + 2}`);
}
// With room for more young objects than the 16 MB by default, the garbage collector takes half the time: a tenth of all. Jest starts
// its workers with the options of this process.
const youngObjects = '--max-semi-space-size=32';
v8.setFlagsFromString(youngObjects);
process.execArgv.push(youngObjects);
await import('../node_modules/jest/bin/jest.js');
