import type { Socket } from 'node:net';

/** Pieces of one response, or of a handshake, that are read as they arrive. Usual responses have one to ten. */
const PIECES = 64;
/** The time before the next piece is read. It has all that arrived until then. */
const PAUSE_MS = 100;

interface Handle {
  readStart(): void;
  readStop(): void;
}

/**
 * Bounds how often a connection to a foreign server is read: a read takes 15 µs, or 30 with TLS, so servers that send byte by byte on 200
 * connections would take all of the event loop. After `pause()` libuv would read on. The property is not documented: without it, only that
 * time is lost. Returns a function that lets the next response have its pieces.
 */
export function readRarely(socket: Socket): () => void {
  let left = PIECES;
  socket.on('data', () => {
    left -= 1;
    const { _handle: handle } = socket as Socket & { _handle?: Handle | null };
    if (left >= 0 || !handle) return;
    handle.readStop();
    setTimeout(() => !socket.destroyed && handle.readStart(), PAUSE_MS).unref();
  });
  return () => void (left = PIECES);
}
