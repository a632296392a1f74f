import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { dirname } from 'node:path';

// Preloaded with `--require`: profiles its process from the start until it exits.
const path = process.env['BENCH_PROFILE'] ?? 'profile.cpuprofile';
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.start');
process.once('exit', () => {
  // The callback runs before `post` returns.
  session.post('Profiler.stop', (error, result) => {
    if (error) return;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(result.profile));
  });
});
