import type { IncomingMessage } from 'node:http';
import type { FlowKey } from '../../../shared/engine/fair';
import type { BodyPace } from '../limits/Pace';

/** What a chunk of any size costs at least: a small one takes the time of several hundred bytes. */
const MIN_CHUNK_BYTES = 512;

/**
 * Pauses a request whenever its company sends faster than its pace, until the returned function is called. Call it before reading
 * the body. The reader of the body may pause and resume the request as well.
 */
export function paceBody(request: IncomingMessage, pace: BodyPace, flow: FlowKey): () => void {
  let waiting: NodeJS.Timeout | undefined;
  const goOn = (): void => {
    waiting = undefined;
    request.resume();
  };
  const count = (chunk: Buffer): void => {
    const waitMs = pace.count(flow, Math.max(chunk.length, MIN_CHUNK_BYTES), performance.now());
    if (waitMs === 0) return;
    request.pause();
    clearTimeout(waiting);
    waiting = setTimeout(goOn, waitMs);
  };
  // A `data` listener would start the stream too early. `resume` is emitted when the reader of the body starts it.
  const listen = (): void => void request.on('data', count);
  const stayPaused = (): void => {
    if (waiting !== undefined) request.pause();
  };
  request.once('resume', listen).on('resume', stayPaused);
  return () => {
    clearTimeout(waiting);
    waiting = undefined;
    request.off('resume', listen).off('resume', stayPaused).off('data', count);
  };
}

/**
 * Receives a body that has no meaning, at the company's pace, and drops it, until the returned function is called. Unread, up to 128 KiB of
 * it would stay in memory.
 */
export function dropBody(request: IncomingMessage, pace: BodyPace, flow: FlowKey): () => void {
  const stop = paceBody(request, pace, flow);
  request.resume();
  return stop;
}
