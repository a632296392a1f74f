import { setTimeout as sleep } from 'node:timers/promises';
import { type Numbered, numberEvents } from '../../shared/engine/events';
import { OccasionalWarning, untilRepaired } from '../../shared/engine/log';
import type { Services } from '../../shared/services';
import { scanSucceeded } from '../schedules/scanSucceeded';

/** How often to look for events without a number, because reports are lost while Redis is unreachable. */
const LOOK_EVERY_MS = 500;
/** How long another process that numbers events is left alone: what it has not seen is left to this one. */
const OTHER_MS = 20;
/** Between two transactions: what is committed meanwhile shares the next one. */
const GATHER_MS = 50;

type SequencerServices = Pick<
  Services,
  'sql' | 'clock' | 'log' | 'databaseClock' | 'eventSignals' | 'performForInstallation'
>;

/**
 * Gives events their numbers in the feed soon after they were committed, and reports which feeds have new ones. Every worker
 * process has one; a lock in MySQL lets one at a time do it.
 */
export class Sequencer {
  private readonly warning: OccasionalWarning;
  private running: Promise<void> | null = null;
  private isWoken = false;
  /** Events were reported since the last look. */
  private isTold = false;
  private isStopped = false;
  private timer: NodeJS.Timeout | undefined;

  /** @param numbered called with each batch after its commit */
  constructor(
    private readonly services: SequencerServices,
    private readonly numbered: (numbered: Numbered) => void = () => undefined,
  ) {
    this.warning = new OccasionalWarning(services.log, 'events get no numbers', untilRepaired);
  }

  start(): void {
    this.services.eventSignals.onRecorded(() => {
      this.isTold = true;
      this.wake();
    });
    this.timer = setInterval(() => this.wake(), LOOK_EVERY_MS);
    this.wake();
  }

  /** Ends after the batch that is in progress. Never throws. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.running;
  }

  /** Numbers what there is, now or after the batch in progress. */
  wake(): void {
    if (this.isStopped) return;
    this.isWoken = true;
    this.running ??= this.run().finally(() => {
      this.running = null;
      // Woken after the last look.
      if (this.isWoken) this.wake();
    });
  }

  private async run(): Promise<void> {
    while (this.isWoken && !this.isStopped) {
      this.isWoken = false;
      try {
        await this.numberAll();
        this.warning.end();
        scanSucceeded(this.services, 'events');
      } catch (error) {
        this.warning.note({ err: error });
      }
    }
  }

  private async numberAll(): Promise<void> {
    const { services } = this;
    while (!this.isStopped && (this.isTold || (await this.anyLeft()))) {
      this.isTold = false;
      await services.databaseClock.ensureCompared(services.sql);
      const numbered = await services.performForInstallation('sequencer', numberEvents);
      if (numbered !== null && numbered.newest.size > 0) {
        services.eventSignals.numbered(numbered.newest);
        this.numbered(numbered);
      }
      if (numbered?.isFull === true) continue;
      await sleep(numbered === null ? OTHER_MS : GATHER_MS);
      // What is committed now is reported again.
      if (numbered !== null && !this.isTold) return;
    }
  }

  private async anyLeft(): Promise<boolean> {
    const rows = await this.services.sql.rows('SELECT 1 AS found FROM events WHERE seq IS NULL LIMIT 1');
    return rows.length > 0;
  }
}
