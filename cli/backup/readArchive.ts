import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import { isSystemError } from '../../shared/engine/files';
import { CliError } from '../CliError';
import { archive, readManifest, type Manifest, type SectionDigest } from './manifest';
import { SectionHash } from './SectionHash';
import { unusablePath } from './unusablePath';

/** An entry of a tar file. */
interface Entry {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly content: Readable;
}

/** Yields the entries of a tar file whose names begin with `prefix`, in order. Each must be read to its end before the next. */
export async function* entriesOf(path: string, prefix = ''): AsyncGenerator<Entry> {
  const source = createReadStream(path);
  const entries = extract();
  // Makes the loop below throw the error.
  source.on('error', (error) => entries.destroy(error));
  source.pipe(entries);
  try {
    for await (const entry of entries) {
      const { name, size } = entry.header;
      // Not a stream of Node.js, but one that its `pipeline` and `for await` take.
      const content = entry as unknown as Readable;
      if (name.startsWith(prefix)) yield { name, size, content };
      else content.resume();
    }
  } finally {
    source.destroy();
  }
}

/**
 * Reads the whole archive and compares it with its manifest, which it returns.
 * @throws {CliError} `damaged_backup` for an archive that is cut off or changed, `not_a_backup` for another file, `unusable_path` for a
 * path without a readable file.
 */
export async function verifyArchive(path: string): Promise<Manifest> {
  const hashes = { database: new SectionHash(), files: new SectionHash() };
  let manifest: Manifest | null = null;
  try {
    for await (const entry of entriesOf(path)) {
      if (entry.name === archive.manifest) manifest = readManifest(await text(entry.content));
      else await hashEntry(entry, hashes[sectionOf(entry.name)]);
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (isSystemError(error)) throw unusablePath(path, 'read', error);
    throw damaged(path, `it cannot be read to its end (${(error as Error).message})`, error);
  }
  return compared(path, manifest, { database: hashes.database.digest(), files: hashes.files.digest() });
}

async function hashEntry({ name, size, content }: Entry, hash: SectionHash): Promise<void> {
  hash.begin(name, size);
  for await (const chunk of content) hash.update(chunk as Buffer);
}

function sectionOf(name: string): 'database' | 'files' {
  if (name.startsWith(archive.database)) return 'database';
  if (name.startsWith(archive.files)) return 'files';
  throw new CliError('not_a_backup', `The archive is not a backup: it contains ${name}.`);
}

function compared(
  path: string,
  manifest: Manifest | null,
  found: Record<'database' | 'files', SectionDigest>,
): Manifest {
  if (manifest === null) throw damaged(path, `it has no ${archive.manifest}, so it was not written to its end`);
  for (const section of ['database', 'files'] as const) {
    const { entries, bytes, sha256 } = manifest[section];
    const is = found[section];
    if (is.entries !== entries || is.bytes !== bytes || is.sha256 !== sha256) {
      throw damaged(path, `its ${section} is not what its ${archive.manifest} says`);
    }
  }
  return manifest;
}

function damaged(path: string, why: string, cause?: unknown): CliError {
  return new CliError('damaged_backup', `${path} is damaged: ${why}. Nothing was changed; use another backup.`, cause);
}
