import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Supervisor } from '../launcher/supervisor';
import { guardFolder } from '../servers/guard';

/** The tools of a command that starts its own installation. */
export interface ThrowAwayRun {
  /** Empty; removed at the end. */
  readonly dataDir: string;
  /** Ends the processes that are added to it. */
  readonly supervisor: Supervisor;
  /** Writes a line to stderr: stdout is the result. */
  readonly log: (line: string) => void;
}

/**
 * Runs a command on an installation of its own and exits with the code that `work` resolves with: 1 when it fails or a
 * supervised process ends by itself, 130 on Ctrl-C. Leaves no process and no file, whichever way it ends.
 */
export function runInThrowAwayFolder(name: string, work: (run: ThrowAwayRun) => Promise<number>): void {
  start(name, work).then(
    (exitCode) => process.exit(exitCode),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    },
  );
}

async function start(name: string, work: (run: ThrowAwayRun) => Promise<number>): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), `invoicing-${name}-`));
  guardFolder(dataDir);
  mkdirSync(join(dataDir, 'run'));
  const supervisor = new Supervisor();
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  try {
    return await Promise.race([work({ dataDir, supervisor, log }), supervisor.broken, interruption()]);
  } finally {
    log('ending everything …');
    await supervisor.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Resolves with the exit code of an interrupted run. */
function interruption(): Promise<number> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => resolve(130));
  });
}
