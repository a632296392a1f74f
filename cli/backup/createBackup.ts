import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { version } from '../../config/version';
import { migrationStatus } from '../../shared/engine/migrations';
import { checkStoreIdentity, type FileStore, MARKER } from '../../shared/engine/files';
import { CliError } from '../CliError';
import { withTransactions } from '../withDatabase';
import { ArchiveWriter } from './ArchiveWriter';
import { findDatabaseTool } from './databaseTool';
import { dumpDatabase } from './dumpDatabase';
import { archive, type Manifest } from './manifest';
import { SectionHash } from './SectionHash';
import { serverVersion } from './serverVersion';
import { unusablePath } from './unusablePath';

export interface BackupOptions {
  readonly databaseUrl: string;
  readonly store: FileStore;
  /** A file that does not exist, or a folder that does. */
  readonly target: string;
  readonly withPdfs: boolean;
}

/**
 * Writes the database and the files into one archive. The dump comes first: a row refers only to files that were stored before
 * it, and those are never removed, so every row of the dump finds its files in the archive. Only PDFs are removed, which have
 * no rows.
 * @throws {CliError} when the program for dumps is missing or fails, or the target exists or cannot be written; {ConfigurationError} when the file
 * store is not that of the database.
 */
export async function createBackup(options: BackupOptions): Promise<Manifest & { archive: string }> {
  const { databaseUrl, store } = options;
  const createdAt = new Date();
  const { done } = await migrationStatus(databaseUrl);
  const schema = done.at(-1);
  if (schema === undefined) throw new CliError('nothing_to_back_up', 'The database has no tables of the service.');
  const server = await serverVersion();
  const tool = await findDatabaseTool('dump', /mariadb/i.test(server));
  // An unmounted volume would make a backup without files.
  await withTransactions(({ ofInstallation }) =>
    ofInstallation(({ sql }) => checkStoreIdentity(sql, store, (work) => ofInstallation(work))),
  );
  const path = await pathOf(options.target, createdAt);
  const writer = await ArchiveWriter.open(path, createdAt);
  try {
    const database = new SectionHash();
    const rows = await dumpDatabase(tool, databaseUrl, (part) =>
      writer.add(`${archive.database}${numbered(database.count + 1)}.sql.gz`, part.length, part, database),
    );
    const files = new SectionHash();
    await addFiles(writer, options, files);
    const manifest: Manifest = {
      format: 'invoicing-backup',
      formatVersion: 1,
      createdAt: createdAt.toISOString(),
      service: version,
      node: process.versions.node,
      server,
      tool: tool.version,
      schema,
      rows,
      store: store.place,
      database: database.digest(),
      files: files.digest(),
    };
    const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
    await writer.add(archive.manifest, text.length, text);
    await writer.finish();
    return { archive: path, ...manifest };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

/** Adds the marker of the store last: a store that was restored in part is not taken for a complete one. */
async function addFiles(writer: ArchiveWriter, { store, withPdfs }: BackupOptions, hash: SectionHash): Promise<void> {
  for await (const key of store.keys()) {
    if (key === MARKER || (!withPdfs && key.startsWith('pdf/'))) continue;
    await addFile(writer, store, key, hash);
  }
  await addFile(writer, store, MARKER, hash);
}

async function addFile(writer: ArchiveWriter, store: FileStore, key: string, hash: SectionHash): Promise<void> {
  const file = await store.open(key);
  // Removed since it was listed: a cached PDF, or an upload that was never completed.
  if (file === null) return;
  await writer.add(`${archive.files}${key}`, file.size, file.content, hash);
}

async function pathOf(target: string, createdAt: Date): Promise<string> {
  const found = await stat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw unusablePath(target, 'written', error);
  });
  if (found === null) return target;
  if (!found.isDirectory()) throw new CliError('exists', `${target} exists already.`);
  return join(target, `invoicing-${createdAt.toISOString().replace(/\.\d+/u, '').replaceAll(':', '-')}.tar`);
}

const numbered = (part: number): string => String(part).padStart(6, '0');
