import type { Logger } from './log';

/** Logs a warning that anybody can cause: the first at once, then at most one line a minute with how many there were. */
export class OccasionalWarning {
  private count = 0;
  private latest: object = {};
  private pause: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: Logger,
    private readonly message: string,
    private readonly pauseMs = 60_000,
  ) {}

  /** Counts one. Of several in one line, `details` are those of the latest. */
  note(details: object): void {
    this.count += 1;
    this.latest = details;
    if (this.pause === undefined) this.write();
  }

  private write(): void {
    this.log.warn({ ...this.latest, count: this.count }, this.message);
    this.count = 0;
    this.pause = setTimeout(() => {
      this.pause = undefined;
      if (this.count > 0) this.write();
    }, this.pauseMs).unref();
  }
}
