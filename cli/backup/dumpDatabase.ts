import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { CliError } from '../CliError';
import { databaseOf } from '../connectionProblem';
import type { DatabaseTool } from './databaseTool';
import { withOptionFile } from './optionFile';
import { RowCounter } from './RowCounter';

const compress = promisify(gzip);

/** Bytes of the dump in one part. One part is in memory at a time. */
const PART_BYTES = 16 * 1024 * 1024;

const dumpOptions = [
  // One snapshot of all tables, without locks.
  '--single-transaction',
  '--quick',
  '--hex-blob',
  '--default-character-set=utf8mb4',
  '--max-allowed-packet=1G',
  // A restore fails on an existing table, and does not remove it.
  '--skip-add-drop-table',
  // Parts that need privileges which the service's account lacks.
  '--no-tablespaces',
  '--skip-add-locks',
  '--skip-disable-keys',
  '--skip-triggers',
  '--skip-dump-date',
  // MySQL's own program alone knows these two.
  '--loose-set-gtid-purged=OFF',
  '--loose-column-statistics=0',
];

/**
 * Dumps the database and passes it on in compressed parts. Returns the number of rows of each table.
 * @throws {CliError} `dump_failed` with the program's message.
 */
export function dumpDatabase(
  tool: DatabaseTool,
  databaseUrl: string,
  take: (part: Buffer) => Promise<void>,
): Promise<Record<string, number>> {
  return withOptionFile(databaseUrl, tool.isMariadb, async (optionFile) => {
    const args = [`--defaults-file=${optionFile}`, ...dumpOptions, databaseOf(databaseUrl)];
    const child = spawn(tool.command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const [ended, said] = [once(child, 'close') as Promise<[number | null]>, text(child.stderr)];
    const counter = new RowCounter();
    try {
      for await (const part of partsOf(child.stdout, counter)) await take(await compress(part));
    } catch (error) {
      child.kill();
      throw error;
    }
    const [code] = await ended;
    if (code !== 0) throw new CliError('dump_failed', `${tool.command} failed: ${(await said).trim()}`);
    return counter.rows;
  });
}

async function* partsOf(dump: AsyncIterable<Buffer>, counter: RowCounter): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  let isFirst = true;
  for await (const chunk of dump) {
    const piece = isFirst ? withoutSandboxMark(chunk) : chunk;
    isFirst = false;
    counter.feed(piece);
    held.push(piece);
    bytes += piece.length;
    if (bytes < PART_BYTES) continue;
    yield Buffer.concat(held);
    [held, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(held);
}

/** MariaDB's dumps begin with a line that MySQL's client and older ones of MariaDB do not understand. */
function withoutSandboxMark(chunk: Buffer): Buffer {
  return chunk.subarray(0, 5).toString('latin1') === '/*M!9' ? chunk.subarray(chunk.indexOf('\n') + 1) : chunk;
}
