import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** The memory of one process that is in use and in RAM, in megabytes (10^6 bytes), without its children. */
export function residentMegabytes(pid: number): number {
  const status = `/proc/${pid}/status`;
  const kibibytes = existsSync(status)
    ? /^VmRSS:\s+(\d+)/m.exec(readFileSync(status, 'utf8'))?.[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  return (Number(kibibytes) * 1024) / 1e6;
}
