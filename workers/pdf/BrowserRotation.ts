import { RenderFailed } from '../../shared/errors';
import type { Logger } from '../../shared/log';
import type { Chromium } from './Chromium';

/** A browser in use, and what has to be known to part from it. */
interface Life {
  chromium: Chromium;
  served: number;
  users: number;
  retired: boolean;
}

/**
 * Keeps one browser current. After `rendersPerBrowser` uses, or when it died, the next use gets a fresh one; the old one ends
 * when its last user is done, so that nobody is interrupted.
 */
export class BrowserRotation {
  private current: Promise<Life> | null = null;
  private readonly lives = new Map<Chromium, Life>();

  constructor(
    private readonly launch: () => Promise<Chromium>,
    private readonly rendersPerBrowser: number,
    private readonly log: Logger,
  ) {}

  /** The current browser, started where there is none. Every `take` is followed by one `giveBack`. */
  async take(): Promise<Chromium> {
    const life = await this.living();
    life.users += 1;
    life.served += 1;
    if (life.served >= this.rendersPerBrowser) life.retired = true;
    return life.chromium;
  }

  /** Ends the use that began with `take`; a browser that is out of service goes with its last user. */
  async giveBack(chromium: Chromium): Promise<void> {
    const life = this.lives.get(chromium);
    if (!life) return;
    life.users -= 1;
    if (life.users === 0 && (life.retired || !chromium.alive)) await this.end(life);
  }

  /** True while new uses get this very browser. */
  isCurrent(chromium: Chromium): boolean {
    return chromium.alive && this.lives.get(chromium)?.retired === false;
  }

  /** Kills every browser, whoever uses it. */
  async close(): Promise<void> {
    await this.current?.catch((error: unknown) => this.log.debug({ err: error }, 'the browser had not started'));
    await Promise.all([...this.lives.values()].map((life) => this.end(life)));
  }

  private async living(): Promise<Life> {
    for (;;) {
      const starting = (this.current ??= this.start());
      let life: Life;
      try {
        life = await starting;
      } catch (error) {
        if (this.current === starting) this.current = null;
        throw new RenderFailed('the browser that prints PDFs did not start', error);
      }
      if (this.isCurrent(life.chromium)) return life;
      life.retired = true;
      if (life.users === 0) await this.end(life);
      if (this.current === starting) this.current = null;
    }
  }

  private async start(): Promise<Life> {
    const started = performance.now();
    const life = { chromium: await this.launch(), served: 0, users: 0, retired: false };
    this.lives.set(life.chromium, life);
    this.log.info({ ms: Math.round(performance.now() - started) }, 'Chromium started');
    return life;
  }

  private async end(life: Life): Promise<void> {
    this.lives.delete(life.chromium);
    await life.chromium.dispose();
  }
}
