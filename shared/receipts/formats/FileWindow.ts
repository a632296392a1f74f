import { open, type FileHandle } from 'node:fs/promises';
import type { WorkMeter } from '../../engine/fair';

/** The size of the window in bytes, and the most that one call can read. */
export const WINDOW = 64 * 1024;

/**
 * Reads anywhere in a local file, holding 64 KiB of it at a time. What is done with each 64 KiB is measured, and other work runs in between.
 */
export class FileWindow {
  private from = 0;
  private window = Buffer.alloc(0);

  private constructor(
    private readonly file: FileHandle,
    readonly size: number,
    private readonly meter: WorkMeter,
  ) {}

  /** Opens the file for `use`, and closes it afterwards. */
  static async over<T>(path: string, meter: WorkMeter, use: (window: FileWindow) => Promise<T>): Promise<T> {
    const file = await open(path);
    try {
      return await use(new FileWindow(file, (await file.stat()).size, meter));
    } finally {
      meter.pause();
      await file.close();
    }
  }

  /** Reads at most 64 KiB at an offset; fewer bytes at the end of the file. */
  async bytes(at: number, length: number): Promise<Buffer> {
    const held = this.held(at, length);
    if (held !== null) return held;
    await this.move(at);
    return this.window.subarray(0, length);
  }

  /** Returns bytes that are in the window without a promise, which is faster for a million small reads; null for other bytes. */
  held(at: number, length: number): Buffer | null {
    const end = Math.min(at + length, this.size);
    if (at >= end) return Buffer.alloc(0);
    if (at < this.from || end > this.from + this.window.length) return null;
    return this.window.subarray(at - this.from, end - this.from);
  }

  /** Returns the bytes in the window from an offset on, possibly none. */
  rest(at: number): Buffer {
    return at < this.from ? Buffer.alloc(0) : this.window.subarray(at - this.from);
  }

  private async move(at: number): Promise<void> {
    const buffer = Buffer.alloc(Math.min(WINDOW, this.size - at));
    let read = 0;
    this.meter.pause();
    while (read < buffer.length) {
      const { bytesRead } = await this.file.read(buffer, read, buffer.length - read, at + read);
      if (bytesRead === 0) break;
      read += bytesRead;
    }
    await this.meter.breathe();
    this.from = at;
    this.window = buffer.subarray(0, read);
  }
}
