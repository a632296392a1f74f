import { endGuardedProcesses } from '../servers/guard';

/** What runs until it is stopped: a part, or a server of ours. */
interface Supervised {
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** Holds an installation together: when one of its processes ends by itself, the whole ends. */
export class Supervisor {
  private readonly layers: Supervised[][] = [];
  private stopping = false;
  private fail: (error: Error) => void = () => undefined;

  /** Rejects when something ended that nobody asked to end. */
  readonly broken = new Promise<never>((_resolve, reject) => (this.fail = reject));

  /** Adds processes that stand on those of the calls before: they are stopped earlier. */
  add(...layer: readonly Supervised[]): void {
    this.layers.push([...layer]);
    for (const one of layer) {
      void one.ended.then((how) => {
        if (!this.stopping) this.fail(new Error(how));
      });
    }
  }

  /** Ends everything, the latest layer first, what was only just being started included. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const layer of this.layers.reverse()) await Promise.all(layer.map((one) => one.stop()));
    await endGuardedProcesses();
  }
}
