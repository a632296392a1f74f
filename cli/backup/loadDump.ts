import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { CliError } from '../CliError';
import { databaseOf } from '../connectionProblem';
import type { DatabaseTool } from './databaseTool';
import { withOptionFile } from './optionFile';

/**
 * Runs a dump, which `parts` yields compressed, in the configured database.
 * @throws {CliError} `restore_failed` with the program's message.
 */
export function loadDump(
  tool: DatabaseTool,
  databaseUrl: string,
  parts: AsyncIterable<{ readonly content: Readable }>,
): Promise<void> {
  return withOptionFile(databaseUrl, tool.isMariadb, async (optionFile) => {
    const args = ['--default-character-set=utf8mb4', '--max-allowed-packet=1G', '--binary-mode', '--batch'];
    const child = spawn(tool.command, [`--defaults-file=${optionFile}`, ...args, databaseOf(databaseUrl)], {
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    const [ended, said] = [once(child, 'close') as Promise<[number | null]>, text(child.stderr)];
    const [fed] = await Promise.allSettled([feed(parts, child.stdin)]);
    const [code] = await ended;
    // A failing program closes its input, so its message comes before the error of the pipe.
    if (code !== 0) throw new CliError('restore_failed', `${tool.command} failed: ${(await said).trim()}`);
    if (fed.status === 'rejected') throw fed.reason as Error;
  });
}

async function feed(parts: AsyncIterable<{ readonly content: Readable }>, input: NodeJS.WritableStream): Promise<void> {
  try {
    for await (const { content } of parts) await pipeline(content, createGunzip(), input, { end: false });
  } finally {
    input.end();
  }
}
