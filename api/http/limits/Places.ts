import type { EventEmitter } from 'node:events';
import { Line, type LineOptions } from './Line';
import type { Pace } from './Pace';
import type { Presence } from './Presence';

/** The place of one request. */
export interface Place {
  /**
   * Gives the place to the next request while `wait` runs. Then takes a place again, before requests that have not begun. `gone`
   * is aborted when the client disconnects.
   */
  aside<T>(wait: (gone: AbortSignal) => Promise<T>): Promise<T>;
  /** Resolves when the company may have one more PDF rendered: immediately when it is alone, else at its pace. */
  turnToRender(): Promise<void>;
}

export interface PlacesOptions extends LineOptions {
  /** Requests of one company that run at the same time while others have requests as well. */
  placesAmongOthers: number;
  /** Renders of one company while others have requests as well. */
  renderPace: Pace;
}

/** Lines of idle companies that are kept, because a map that changes with every request makes garbage collection expensive. */
const LINES_KEPT = 1_000;

/**
 * Limits the requests of each company that run in this process. A company that is alone has more places. Further requests wait
 * in line, and hold neither a database connection nor a parsed body.
 */
export class Places {
  private readonly lines = new Map<number, { line: Line; requests: number }>();

  constructor(
    private readonly options: PlacesOptions,
    private readonly presence: Presence,
  ) {}

  /**
   * Runs `work` in a place of the company. `response` emits `close` when the client disconnects.
   * @throws {AppError} 429 `too_many_requests` when the line is full; {@link Overloaded} when no place became free in time;
   * {@link RequestAborted} when the client disconnected while it waited.
   */
  async within<T>(companyId: number, response: EventEmitter, work: (place: Place) => Promise<T>): Promise<T> {
    this.presence.note(companyId);
    const entry = this.lines.get(companyId) ?? this.open(companyId);
    entry.requests += 1;
    try {
      await entry.line.enter(response);
      try {
        return await work(this.placeIn(entry.line, companyId, response));
      } finally {
        entry.line.leave();
      }
    } finally {
      entry.requests -= 1;
    }
  }

  /** Refuses the requests that wait in line; called when the process stops. */
  refuseWaiting(): void {
    for (const { line } of this.lines.values()) line.refuseWaiting();
  }

  private open(companyId: number): { line: Line; requests: number } {
    const { places, placesAmongOthers } = this.options;
    const placesNow = (): number => (this.presence.isAlone(companyId) ? places : placesAmongOthers);
    if (this.lines.size >= LINES_KEPT) this.forgetIdle();
    const entry = { line: new Line(this.options, placesNow), requests: 0 };
    this.lines.set(companyId, entry);
    return entry;
  }

  private placeIn(line: Line, companyId: number, response: EventEmitter): Place {
    return {
      aside: async (wait) => {
        line.leave();
        const gone = new AbortController();
        const abort = (): void => gone.abort();
        response.once('close', abort);
        try {
          return await wait(gone.signal);
        } finally {
          response.off('close', abort);
          await line.comeBack();
        }
      },
      turnToRender: async () => {
        if (!this.presence.isAlone(companyId)) await this.options.renderPace.wait(companyId, 1);
      },
    };
  }

  private forgetIdle(): void {
    for (const [companyId, { requests }] of this.lines) if (requests === 0) this.lines.delete(companyId);
  }
}
