import { link, open, rm, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';
import { CliError } from '../CliError';
import type { SectionHash } from './SectionHash';
import { unusablePath } from './unusablePath';

/** Only the operator may read a backup: it contains client data. */
const MODE = 0o600;

/**
 * Writes a tar file. It appears under its name when it is complete and on disk; until then its name ends in `.partial`. An
 * existing file is never replaced.
 */
export class ArchiveWriter {
  private readonly pack: Pack = pack();
  private readonly written: Promise<void>;
  private readonly failed: Promise<never>;

  private constructor(
    private readonly path: string,
    private readonly partial: string,
    file: FileHandle,
    private readonly createdAt: Date,
  ) {
    this.written = pipeline(this.pack, file.createWriteStream());
    this.failed = this.written.then(() => {
      throw new Error(`${partial} was closed too early`);
    });
    // Reported by `add` and `finish`.
    this.failed.catch(() => undefined);
  }

  /** Opens the file under its name until it is complete. @throws {CliError} `unusable_path` where there can be no such file. */
  static async open(path: string, createdAt: Date): Promise<ArchiveWriter> {
    const partial = `${path}.partial`;
    const file = await open(partial, 'w', MODE).catch((error: unknown) => {
      throw unusablePath(path, 'written', error);
    });
    return new ArchiveWriter(path, partial, file, createdAt);
  }

  /** Adds an entry of exactly `size` bytes. Holds a part of a stream in memory at a time. */
  async add(name: string, size: number, content: Buffer | Readable, hash?: SectionHash): Promise<void> {
    hash?.begin(name, size);
    // A full disk fails the file, and not always the entry.
    await Promise.race([this.failed, this.addEntry({ name, size }, Readable.from(content), hash)]);
  }

  private async addEntry(of: { name: string; size: number }, content: Readable, hash?: SectionHash): Promise<void> {
    const entry = this.pack.entry({ ...of, mode: MODE, mtime: this.createdAt });
    await (hash ? pipeline(content, (chunks) => hash.through(chunks), entry) : pipeline(content, entry));
  }

  /** Completes the file and gives it its name. @throws {CliError} `exists` when there is a file of that name by now. */
  async finish(): Promise<void> {
    this.pack.finalize();
    await this.written;
    const file = await open(this.partial, 'r+');
    await file.sync().finally(() => file.close());
    await link(this.partial, this.path).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? new CliError('exists', `${this.path} exists already.`, error) : error;
    });
    await rm(this.partial);
  }

  /** Removes the unfinished file. */
  async discard(): Promise<void> {
    this.pack.destroy();
    await this.written.catch(() => undefined);
    await rm(this.partial, { force: true });
  }
}
