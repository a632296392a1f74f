import type { ServerResponse } from 'node:http';
import { TooManyRequests } from '../../../shared/engine/errors';

/** Seconds after which another export is worth a try. */
const RETRY_AFTER = 5;

/** Runs a read of an export. */
export type ReadOfExport = <T>(read: () => Promise<T>) => Promise<T>;

/**
 * The exports of one process: at most one of a company at a time, until its response has ended. A read that MySQL still works at then ends
 * first: whoever asks for exports and leaves would keep all of MySQL busy.
 */
export class Exports {
  private readonly running = new Set<number>();

  /** Begins an export, whose first read follows at once. @throws {TooManyRequests} `export_in_progress` */
  begin(companyId: number, response: ServerResponse): ReadOfExport {
    if (this.running.has(companyId)) {
      throw new TooManyRequests('export_in_progress', 'another export of the company is in progress', RETRY_AFTER);
    }
    this.running.add(companyId);
    let isReading = false;
    const endIfOver = (): void => {
      if (response.destroyed && !isReading) this.running.delete(companyId);
    };
    response.once('close', endIfOver);
    return async (read) => {
      isReading = true;
      try {
        return await read();
      } finally {
        isReading = false;
        endIfOver();
      }
    };
  }
}
