import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SandboxLink } from './SandboxLink';

/**
 * All links, oldest first. Also kept in a JSON file if one is named, which is replaced atomically. Writes run in the
 * background, one at a time; {@link flush} waits for them.
 */
export class LinkStore {
  readonly #links = new Map<string, SandboxLink>();
  #dirty = false;
  #writing: Promise<void> = Promise.resolve();

  /** @throws {SyntaxError} when the file is not JSON */
  constructor(private readonly file: string | null) {
    if (file === null || !existsSync(file)) return;
    const links = JSON.parse(readFileSync(file, 'utf8')) as SandboxLink[];
    for (const link of links) this.#links.set(link.id, link);
  }

  all(): SandboxLink[] {
    return [...this.#links.values()].map((link) => this.#current(link));
  }

  get(id: string): SandboxLink | undefined {
    const link = this.#links.get(id);
    return link && this.#current(link);
  }

  put(link: SandboxLink): SandboxLink {
    this.#links.set(link.id, link);
    this.#save();
    return link;
  }

  clear(): void {
    this.#links.clear();
    this.#save();
  }

  async flush(): Promise<void> {
    await this.#writing;
  }

  /** Marks a link as expired once its time has passed. */
  #current(link: SandboxLink): SandboxLink {
    if (link.status !== 'PENDING' || Date.parse(link.expiry_date) > Date.now()) return link;
    return this.put({ ...link, status: 'EXPIRED', updated: link.expiry_date });
  }

  #save(): void {
    if (this.file === null || this.#dirty) return;
    this.#dirty = true;
    this.#writing = this.#writing.then(() => this.#write(this.file as string));
  }

  async #write(file: string): Promise<void> {
    this.#dirty = false;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(`${file}.new`, JSON.stringify([...this.#links.values()]), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }
}
