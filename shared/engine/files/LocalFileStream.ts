import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';

const PIECE_BYTES = 64 * 1024;

/**
 * Reads a file from an offset to its end, 64 KiB at a time, and closes it. Unlike the streams of `node:fs` it reads nothing ahead: a piece
 * is read when the reader asks for it, so that its cost counts for the reader.
 */
export class LocalFileStream extends Readable {
  constructor(
    private readonly file: FileHandle,
    private offset: number,
  ) {
    super({ highWaterMark: 0 });
  }

  override _read(): void {
    this.readPiece().then(
      (piece) => this.push(piece),
      (error: Error) => this.destroy(error),
    );
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.file.close().then(
      () => done(error),
      (failure: Error) => done(error ?? failure),
    );
  }

  private async readPiece(): Promise<Buffer | null> {
    const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
    const { bytesRead } = await this.file.read(piece, 0, PIECE_BYTES, this.offset);
    this.offset += bytesRead;
    return bytesRead === 0 ? null : piece.subarray(0, bytesRead);
  }
}
