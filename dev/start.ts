import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadConfig } from '../config/env';
import { variables } from '../config/variables';
import { announcement } from './launcher/announce';
import { bringUp } from './launcher/bringUp';
import { claimDataDir } from './launcher/claimDataDir';
import { makePlan, type Plan } from './launcher/environment';
import { Supervisor } from './launcher/supervisor';
import { freePort, whyPortIsTaken } from './servers/freePort';

const log = (line: string) => process.stdout.write(`${line}\n`);

/** Rejects with the reason of the first signal that asks this process to end. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}

/** Returns the port to listen on; 0 means any. @throws {Error} when it is in use. */
async function choosePort(host: string, port: number): Promise<number> {
  if (port === 0) return freePort();
  const why = await whyPortIsTaken(port, host);
  if (why === undefined) return port;
  const reason = why === 'EADDRINUSE' ? 'is used by another program' : `of ${host} cannot be used (${why})`;
  throw new Error(`Port ${port} ${reason}. Choose another: PORT=${port + 100} npm start`);
}

/** Runs an installation until a signal or the end of one of its parts. Resolves with the exit code. */
async function run(plan: Plan): Promise<number> {
  const startedAt = Date.now() - process.uptime() * 1000;
  const supervisor = new Supervisor();
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interruption.abort());
  const interrupted = untilAborted(interruption.signal);
  try {
    const facts = await Promise.race([
      bringUp(plan, supervisor, interruption.signal, log),
      supervisor.broken,
      interrupted,
    ]);
    log(announcement({ ...facts, seconds: (Date.now() - startedAt) / 1000 }));
    return await Promise.race([supervisor.broken, interrupted]);
  } catch (error) {
    if (!interruption.signal.aborted) process.stderr.write(`\n${messageOf(error)}\n\n`);
    log('ending everything …');
    return interruption.signal.aborted ? 0 : 1;
  } finally {
    await supervisor.stop();
    rmSync(join(plan.dataDir, 'servers.env'), { force: true });
  }
}

async function launch(): Promise<number> {
  const { host, port } = loadConfig();
  const dataDir = resolve(process.env['DATA_DIR'] || variables.files.dataDir.default);
  const release = await claimDataDir(dataDir, log);
  try {
    return await run(makePlan(process.env, dataDir, await choosePort(host, port)));
  } finally {
    release();
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

launch().then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  },
);
