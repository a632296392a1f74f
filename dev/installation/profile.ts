import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { basename, dirname, join } from 'node:path';

// Preloaded with `--require`: profiles its process from the start until it exits.
const folder = process.env['BENCH_PROFILE'] ?? '.';
const entry = basename(dirname(process.argv[1] ?? ''));
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.start');
process.once('exit', () => {
  // The callback runs before `post` returns.
  session.post('Profiler.stop', (error, result) => {
    if (error) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${entry}.cpuprofile`), JSON.stringify(result.profile));
  });
});
