// `npm test -- [jest's own arguments]`. Builds as well: the scenario tests run the processes as they are deployed.
import os from 'node:os';
import './bootstrap/requireNode.mjs';
import { bootstrap } from './bootstrap/bootstrap.mjs';

await bootstrap();
const given = process.argv.slice(2);
if (!given.some((argument) => /^(-w|--maxWorkers|-i$|--runInBand)/.test(argument))) {
  // Jest's own choice is one less than the cores: on two, nothing would run in parallel.
  process.argv.push(`--maxWorkers=${Math.max(2, os.availableParallelism() - 1)}`);
}
await import('../node_modules/jest/bin/jest.js');
