import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Mounts disks of a few megabytes, which are easily full. Unmounts all of them when the run ends. */
export class SmallDisks {
  /** Never resolves: a mount does not end by itself. */
  readonly ended = new Promise<string>(() => undefined);
  private readonly mounted = new Set<string>();

  /** @throws {Error} where this user or this machine may not mount. */
  async mount(folder: string, megabytes: number): Promise<void> {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
    this.mounted.add(folder);
  }

  async unmount(folder: string): Promise<void> {
    await run('umount', ['-l', folder]);
    this.mounted.delete(folder);
  }

  async stop(): Promise<void> {
    for (const folder of this.mounted) await this.unmount(folder);
  }
}
