/** One file of an archive. */
export interface TarFile {
  /** Relative path as in the archive. */
  name: string;
  bytes: Buffer;
}

const block = 512;

/** The regular files of a POSIX ustar archive that is in memory. Source: POSIX.1, pax, "ustar Interchange Format". */
export function readTar(archive: Buffer): TarFile[] {
  const files: TarFile[] = [];
  for (let at = 0; at + block <= archive.length && archive[at] !== 0;) {
    const field = (offset: number, length: number) =>
      archive.toString('latin1', at + offset, at + offset + length).split('\0', 1)[0] ?? '';
    const size = parseInt(field(124, 12).trim() || '0', 8);
    const type = field(156, 1);
    if (type === '' || type === '0') {
      files.push({ name: field(0, 100), bytes: archive.subarray(at + block, at + block + size) });
    }
    at += block + Math.ceil(size / block) * block;
  }
  return files;
}
