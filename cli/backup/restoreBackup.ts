import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { migrations } from '../../shared/engine/migrations';
import type { FileStore } from '../../shared/engine/files';
import { type MovedSequence, moveSequence } from '../../shared/engine/events';
import { CliError } from '../CliError';
import { withDatabase } from '../withDatabase';
import { findDatabaseTool } from './databaseTool';
import { loadDump } from './loadDump';
import { archive, type Manifest } from './manifest';
import { entriesOf, verifyArchive } from './readArchive';
import { serverVersion } from './serverVersion';

export interface RestoreOptions {
  readonly databaseUrl: string;
  readonly store: FileStore;
  /** The archive. */
  readonly path: string;
}

export interface Restored {
  readonly createdAt: string;
  readonly rows: Readonly<Record<string, number>>;
  readonly files: number;
  /** How the event numbers were raised; null for a backup of a version without them. */
  readonly eventNumbers: MovedSequence | null;
  /** Jobs that had not ended. Workers run them as soon as they start. */
  readonly pendingJobs: number;
  /** The next steps for the operator. */
  readonly next: readonly string[];
}

/**
 * Restores an archive. Nothing is changed before the whole archive is verified, and the database and the file store are found empty. The
 * marker of the store is restored last, so that the service does not start on a part.
 * @throws {CliError} with the reason.
 */
export async function restoreBackup({ databaseUrl, store, path }: RestoreOptions): Promise<Restored> {
  const manifest = await verifyArchive(path);
  const newestKnown = migrations.at(-1)?.name ?? '';
  if (!migrations.some(({ name }) => name === manifest.schema)) {
    throw new CliError(
      'newer_backup',
      `The backup is of a newer version of the service: its newest migration is ${manifest.schema}, and this version ` +
        `knows those up to ${newestKnown}. Restore it with version ${manifest.service} or a later one.`,
    );
  }
  const tool = await findDatabaseTool('client', /mariadb/i.test(await serverVersion()));
  await requireEmptyDatabase();
  await requireEmptyStore(store);
  await loadDump(tool, databaseUrl, entriesOf(path, archive.database));
  await compareRows(manifest);
  const eventNumbers = await withDatabase(({ sql }) => moveSequence(sql));
  await store.create();
  for await (const entry of entriesOf(path, archive.files)) {
    await restoreFile(store, entry.name.slice(archive.files.length), entry.content);
  }
  const pendingJobs = await countPendingJobs();
  return {
    createdAt: manifest.createdAt,
    rows: manifest.rows,
    files: manifest.files.entries,
    eventNumbers,
    pendingJobs,
    next: nextSteps(manifest.schema === newestKnown, pendingJobs, eventNumbers),
  };
}

async function requireEmptyDatabase(): Promise<void> {
  const [found] = await withDatabase(({ sql }) =>
    sql.rows<{ tables: number }>(
      'SELECT COUNT(*) AS `tables` FROM information_schema.tables WHERE table_schema = DATABASE()',
    ),
  );
  if (Number(found?.tables) === 0) return;
  throw new CliError(
    'not_empty',
    `The database has ${found?.tables} tables. Restore into an empty one: create it anew, or name another in DATABASE_URL.`,
  );
}

async function requireEmptyStore(store: FileStore): Promise<void> {
  for await (const key of store.keys()) {
    throw new CliError(
      'not_empty',
      `${store.place} is not empty: it has ${key}. Restore into an empty one, see FILES_DIR or S3_BUCKET and S3_PREFIX.`,
    );
  }
}

async function compareRows({ rows }: Manifest): Promise<void> {
  const wrong: string[] = [];
  for (const [table, expected] of Object.entries(rows)) {
    const [found] = await withDatabase(({ sql }) =>
      sql.rows<{ count: number }>(`SELECT COUNT(*) AS count FROM \`${table}\``),
    );
    if (Number(found?.count) !== expected) wrong.push(`${table} has ${found?.count} rows and not ${expected}`);
  }
  if (wrong.length > 0)
    throw new CliError('restore_failed', `The restored database is not complete: ${wrong.join(', ')}.`);
}

/** By way of this machine's disk, so that the size of a file needs no memory. */
async function restoreFile(store: FileStore, key: string, content: NodeJS.ReadableStream): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'invoicing-restore-'));
  try {
    const copy = join(folder, 'file');
    await pipeline(content, createWriteStream(copy, { mode: 0o600 }));
    await store.putFile(key, copy);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function countPendingJobs(): Promise<number> {
  const [found] = await withDatabase(({ sql }) =>
    sql.rows<{ count: number }>("SELECT COUNT(*) AS count FROM jobs WHERE status IN ('pending', 'running')"),
  );
  return Number(found?.count ?? 0);
}

function nextSteps(isCurrent: boolean, pendingJobs: number, eventNumbers: MovedSequence | null): string[] {
  return [
    ...(isCurrent ? [] : ['Run `migrate up`: the backup is of an older version.']),
    ...(pendingJobs === 0
      ? []
      : [
          `${pendingJobs} jobs had not ended when the backup was made. If the service ran on after it, they may have been ` +
            'carried out since: read docs/run.md#backup-and-restore before you start a worker.',
        ]),
    ...(eventNumbers === null
      ? []
      : [
          `The ids of events were moved on by ${eventNumbers.movedBy}: each new one is above ${eventNumbers.last}, so consumers of ` +
            'the feed continue from where they are. What they have read of the time after the backup is lost here.',
        ]),
    'If Redis still has the keys of the lost installation, delete those under REDIS_PREFIX. Redis needs nothing else: workers ' +
      'queue again what is due in MySQL.',
    'Start the API and the workers.',
  ];
}
