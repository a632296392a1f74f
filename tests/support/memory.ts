import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of the buffers that this process still uses: what is only not collected yet does not count. */
export function heldByBuffers(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}
