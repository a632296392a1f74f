import { CliError } from '../CliError';

/** The names in an archive. */
export const archive = {
  /** `database/000001.sql.gz` and so on: joined in this order they are one gzip file, the dump. */
  database: 'database/',
  /** `files/<key>`, the one that identifies the store last. */
  files: 'files/',
  /** The last entry: an archive without it is not complete. */
  manifest: 'manifest.json',
} as const;

/** A digest of entries: of name, size and content of each, in their order. */
export interface SectionDigest {
  readonly entries: number;
  /** Bytes in the archive. */
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** The description of an archive, its last entry. */
export interface Manifest {
  readonly format: 'invoicing-backup';
  readonly formatVersion: 1;
  readonly createdAt: string;
  /** The version of the service that made it. */
  readonly service: string;
  readonly node: string;
  /** The version of MySQL or MariaDB. */
  readonly server: string;
  /** The program that made the dump. */
  readonly tool: string;
  /** The newest migration of the dump. */
  readonly schema: string;
  /** Rows in the dump, by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** The folder or bucket that the files are from. */
  readonly store: string;
  readonly database: SectionDigest;
  readonly files: SectionDigest;
}

/** @throws {CliError} `not_a_backup` for anything that this version cannot restore. */
export function readManifest(text: string): Manifest {
  let found: Partial<Manifest> | null;
  try {
    found = JSON.parse(text) as Partial<Manifest> | null;
  } catch (error) {
    throw new CliError('not_a_backup', `${archive.manifest} of the archive is not JSON`, error);
  }
  if (found?.format !== 'invoicing-backup' || found.formatVersion !== 1) {
    throw new CliError('not_a_backup', 'The archive is not a backup that this version of the service can read.');
  }
  return found as Manifest;
}
