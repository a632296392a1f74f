import type { ServerResponse } from 'node:http';
import { TooManyRequests } from '../../../shared/engine/errors';

/** Seconds after which another export is worth a try. */
const RETRY_AFTER = 5;

/** The exports of one process: at most one of a company at a time, until its response has ended. */
export class Exports {
  private readonly running = new Set<number>();

  /** @throws {TooManyRequests} `export_in_progress` */
  begin(companyId: number, response: ServerResponse): void {
    if (this.running.has(companyId)) {
      throw new TooManyRequests('export_in_progress', 'another export of the company is in progress', RETRY_AFTER);
    }
    // Else the end of the response, which frees the company, has been and gone.
    if (response.destroyed) return;
    this.running.add(companyId);
    response.once('close', () => this.running.delete(companyId));
  }
}
