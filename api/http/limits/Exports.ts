import type { ServerResponse } from 'node:http';
import { TooManyRequests } from '../../../shared/engine/errors';

/** Seconds after which another export is worth a try. */
const RETRY_AFTER = 5;

/** Runs a read of an export. */
export type ReadOfExport = <T>(read: () => Promise<T>) => Promise<T>;

/**
 * The exports of one process: at most one of a company at a time, until its response has ended, and the read that MySQL may still work at.
 * Otherwise a client that requests exports and leaves would keep all of MySQL busy.
 */
export class Exports {
  private readonly running = new Map<number, ServerResponse>();

  /** Begins an export, whose first read follows immediately. @throws {TooManyRequests} `export_in_progress` */
  begin(companyId: number, response: ServerResponse): ReadOfExport {
    if (this.running.has(companyId)) {
      throw new TooManyRequests('export_in_progress', 'another export of the company is in progress', RETRY_AFTER);
    }
    this.running.set(companyId, response);
    let isReading = false;
    const endIfOver = (): void => {
      if (response.destroyed && !isReading && this.running.get(companyId) === response) this.running.delete(companyId);
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
