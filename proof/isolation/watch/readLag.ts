import { existsSync, readFileSync } from 'node:fs';

/** Returns the longest recorded delay of an event loop between two times (Unix time in ms), in milliseconds. */
export function longestLagMs(file: string, from: number, until: number): number {
  if (!existsSync(file)) return 0;
  const delays = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(' ').map(Number))
    .filter(([at = 0]) => at >= from && at <= until)
    .map(([, delay = 0]) => delay);
  return Math.max(0, ...delays);
}
