import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Socket } from 'node:net';
import { projectRoot } from '../../config/paths';
import { endProcess } from './pidFile';

type Order = { watch: number } | { forget: number } | { remove: string };

let pipe: Socket | undefined;
const guarded = new Set<number>();

function order(message: Order): void {
  pipe ??= startWatchdog();
  pipe.write(`${JSON.stringify(message)}\n`);
}

/** Starts the watchdog in its own session, which signals to this process's group do not reach. */
function startWatchdog(): Socket {
  const child = spawn(process.execPath, [join(projectRoot, 'dev/servers/watchdog.mjs')], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.unref();
  const stdin = child.stdin as unknown as Socket;
  stdin.unref();
  return stdin;
}

/** Has this process ended when ours ends in any way, SIGKILL included. */
export function guardProcess(pid: number): void {
  guarded.add(pid);
  order({ watch: pid });
}

/** Must be called when a guarded process has ended, before its pid is reused. */
export function unguardProcess(pid: number): void {
  guarded.delete(pid);
  order({ forget: pid });
}

/** Has this folder removed when our process ends. */
export function guardFolder(folder: string): void {
  order({ remove: folder });
}

/** Ends every process that is guarded now, the latest first. */
export async function endGuardedProcesses(): Promise<void> {
  for (const pid of [...guarded].reverse()) await endProcess(pid);
}
