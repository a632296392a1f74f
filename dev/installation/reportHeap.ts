import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Preloaded with `--require`: on SIGUSR2, writes the bytes of heap and buffers that are in use after a full garbage
// collection to `heap-<pid>` in the data folder.
const path = join(process.env['DATA_DIR'] ?? '.', `heap-${process.pid}`);
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
process.on('SIGUSR2', () => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(`${path}.new`, String(heapUsed + external));
  renameSync(`${path}.new`, path);
});
