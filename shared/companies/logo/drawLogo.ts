import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { projectRoot } from '../../../config/paths';
import { Overloaded, ServiceUnavailable, ValidationFailed } from '../../engine/errors';

/** The exit code for input that is not a logo. */
export const REFUSED = 3;

/** Seconds of processor time. An ordinary logo takes 0.3. */
const CPU_SECONDS = 2;
/**
 * Milliseconds until a process that the machine gave too little time is killed. It has a lower priority than others: beside 20 busy ones on
 * two cores, an ordinary logo takes 10 seconds.
 */
export const drawTimes = { deadlineMs: 30_000 };
/** Private memory (RLIMIT_DATA, in KiB). Node.js takes 110 MiB of it; a 16-bit PNG of 4096 × 4096 pixels takes 100 more. */
const MEMORY_KIB = 384 * 1024;

/** Without `--jitless`, Node.js 24 reserves 512 MiB of memory for machine code, which counts as used. sharp needs none of it. */
const nodeOptions = ['--jitless', '--max-old-space-size=64'];

/** Bytes: more than any drawn logo has. */
const MAX_OUTPUT = 1024 * 1024;

const program = join(__dirname, 'drawProcess.js');
const fonts = join(projectRoot, 'shared/companies/logo/fonts.conf');

/** No core dumps, no files written. Where a system does not know a limit (macOS: memory), the others hold. */
const underLimits = [
  'ulimit -c 0',
  'ulimit -f 0',
  `ulimit -d ${MEMORY_KIB}`,
  `ulimit -S -t ${CPU_SECONDS}`,
  `ulimit -H -t ${CPU_SECONDS + 1}`,
]
  .map((limit) => `${limit} 2>/dev/null`)
  .concat('exec "$@"')
  .join('; ');

/** The signals by which a process ends that exceeds a limit, or crashes after it. */
const OUT_OF_MEMORY: readonly (NodeJS.Signals | null)[] = [
  'SIGABRT',
  'SIGTRAP',
  'SIGSEGV',
  'SIGBUS',
  'SIGILL',
  'SIGKILL',
];

/**
 * Draws a PNG, JPEG or SVG as a PNG of at most 512 KiB, fitted to the place of an invoice's logo. It happens in a process of
 * its own, without this one's environment, within 2 seconds of processor time and 384 MiB: sharp's own time-out does not stop
 * the drawing of an SVG. SVG reaches no file and no address.
 * @throws {ValidationFailed} at `logo` when it is something else, damaged, invisible, or takes too much time or memory.
 * @throws {Overloaded} when the machine is too busy.
 * @throws {ServiceUnavailable} when the process cannot be run.
 */
export async function drawLogo(image: Buffer): Promise<Buffer> {
  const child = spawn('/bin/sh', ['-c', underLimits, 'sh', process.execPath, ...nodeOptions, program], {
    env: { FONTCONFIG_FILE: fonts },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, drawTimes.deadlineMs);
  try {
    const { result, problem, code, signal } = await run(child, image);
    if (code === 0) return result;
    if (code === REFUSED) throw refused(result.toString('utf8'));
    if (isLate) throw new Overloaded('images');
    if (signal === 'SIGXCPU') throw refused('takes too long to draw; export it as a PNG');
    if (OUT_OF_MEMORY.includes(signal)) throw refused('needs too much memory to draw; export it as a smaller PNG');
    throw new Error(`it ended with ${signal ?? code}: ${problem}`);
  } catch (error) {
    if (error instanceof ValidationFailed || error instanceof Overloaded) throw error;
    throw new ServiceUnavailable('the process that draws logos', error);
  } finally {
    clearTimeout(deadline);
    child.kill('SIGKILL');
  }
}

interface Ended {
  result: Buffer;
  problem: string;
  code: number | null;
  signal: NodeJS.Signals | null;
}

async function run(child: ChildProcessWithoutNullStreams, image: Buffer): Promise<Ended> {
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  // It has no pipes when this process may open no more files. The error follows.
  if (child.pid === undefined) await closed;
  // If the process ends before it has read everything, its exit gives the reason.
  child.stdin.on('error', () => undefined);
  child.stdin.end(image);
  const [result, problem, [code, signal]] = await Promise.all([read(child.stdout), read(child.stderr), closed]);
  return { result, problem: problem.toString('utf8'), code, signal };
}

async function read(output: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of output as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_OUTPUT) throw new Error(`it wrote more than ${MAX_OUTPUT} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function refused(message: string): ValidationFailed {
  return ValidationFailed.at('logo', message);
}
