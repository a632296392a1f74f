import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import type { SectionDigest } from './manifest';

/** Computes the digest of a section while its entries are written or read. */
export class SectionHash {
  private readonly hash = createHash('sha256');
  private entries = 0;
  private bytes = 0;

  /** Entries so far. */
  get count(): number {
    return this.entries;
  }

  begin(name: string, size: number): void {
    this.entries += 1;
    this.bytes += size;
    this.hash.update(`${name} ${size}\n`);
  }

  update(content: Buffer): void {
    this.hash.update(content);
  }

  /** Returns a stream that passes on the content of the entry that was begun. */
  through(): Transform {
    const hash = this.hash;
    return new Transform({
      transform(chunk: Buffer, _encoding, done): void {
        hash.update(chunk);
        done(null, chunk);
      },
    });
  }

  digest(): SectionDigest {
    return { entries: this.entries, bytes: this.bytes, sha256: this.hash.digest('hex') };
  }
}
