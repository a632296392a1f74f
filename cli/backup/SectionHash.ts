import { createHash } from 'node:crypto';
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

  /** Passes on the content of the entry that was begun. */
  async *through(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of content) {
      this.hash.update(chunk);
      yield chunk;
    }
  }

  digest(): SectionDigest {
    return { entries: this.entries, bytes: this.bytes, sha256: this.hash.digest('hex') };
  }
}
