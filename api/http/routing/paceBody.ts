import type { IncomingMessage } from 'node:http';
import type { Pace } from '../limits/Pace';

/**
 * Pauses a request whenever its company sends faster than its pace, until the returned function is called. Call it before reading
 * the body. The reader of the body may pause and resume the request as well.
 */
export function paceBody(request: IncomingMessage, pace: Pace, companyId: number): () => void {
  let waiting: NodeJS.Timeout | undefined;
  const goOn = (): void => {
    waiting = undefined;
    request.resume();
  };
  const count = (chunk: Buffer): void => {
    const waitMs = pace.count(companyId, chunk.length, performance.now());
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
