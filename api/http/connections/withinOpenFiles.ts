/** Files that a process has open beside its connections: those to MySQL, Redis and a bucket, receipts and uploads. */
const OTHERS = 1_000;

/**
 * Returns how many of the connections a process can have open within its limit of open files.
 * @param limits the content of `/proc/self/limits`; empty where the system has none
 */
export function withinOpenFiles(connections: number, limits: string): number {
  const files = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  return Math.min(connections, files - Math.min(OTHERS, Math.ceil(files / 2)));
}
