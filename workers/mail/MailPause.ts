import { delayAfter, mailProbe, type Delays } from '../../config/queues';
import { EmailAccountRefused } from '../../shared/engine/errors';
import type { Logger } from '../../shared/engine/log';
import type { SetPaused } from '../jobs/ServedQueue';

/**
 * Pauses the e-mails of this process while the mail provider refuses the configured account: every message would fail for the
 * same reason. After a growing pause one message is sent as a probe, while the others wait for it. An accepted message ends
 * the pause. The pause is not stored, so a process that restarts with correct settings sends immediately.
 */
export class MailPause {
  /** The refusal that paused the e-mails; null while they are sent. */
  private refusal: EmailAccountRefused | null = null;
  private refusals = 0;
  /** True when the pause is over and the next message is the probe. */
  private isDue = false;
  private probe: Promise<void> | null = null;
  private readonly followers: SetPaused[] = [];

  constructor(
    private readonly log: Logger,
    private readonly delays: Delays = mailProbe,
  ) {}

  /** Calls `follower` with true for each pause, and with false when the next message may be the probe. */
  follow(follower: SetPaused): void {
    this.followers.push(follower);
  }

  /**
   * Runs `send`, which sends one message, unless the e-mails are paused.
   * @throws {EmailAccountRefused} while they are paused; what `send` throws.
   */
  async around<T>(send: () => Promise<T>): Promise<T> {
    while (this.probe !== null) await this.probe;
    if (this.refusal === null) return this.attempt(send);
    if (!this.isDue) throw this.refusal;
    const attempt = this.attempt(send);
    const ended = (): void => {
      this.probe = null;
    };
    this.probe = attempt.then(ended, ended);
    return attempt;
  }

  private async attempt<T>(send: () => Promise<T>): Promise<T> {
    try {
      const sent = await send();
      this.accepted();
      return sent;
    } catch (error) {
      if (error instanceof EmailAccountRefused) this.refused(error);
      throw error;
    }
  }

  private accepted(): void {
    if (this.refusal === null) return;
    this.log.info({ refusals: this.refusals }, 'e-mails are sent again');
    this.refusal = null;
    this.refusals = 0;
    this.isDue = false;
  }

  private refused(refusal: EmailAccountRefused): void {
    // This message was already being sent when the pause began.
    if (this.refusal !== null && !this.isDue) return;
    this.refusal = refusal;
    this.refusals += 1;
    this.isDue = false;
    const pauseMs = delayAfter(this.delays, this.refusals);
    // Log the 1st, 2nd, 4th, 8th … refusal.
    if (Number.isInteger(Math.log2(this.refusals))) {
      this.log.warn(
        { err: refusal, refusals: this.refusals, pauseMs },
        'e-mails are paused: the mail provider takes none of the configured account',
      );
    }
    setTimeout(() => {
      this.isDue = true;
      for (const setPaused of this.followers) setPaused(false);
    }, pauseMs).unref();
    for (const setPaused of this.followers) setPaused(true);
  }
}
