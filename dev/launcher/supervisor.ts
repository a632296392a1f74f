import { endGuardedProcesses } from '../servers/guard';

/** A process or other resource that runs until it is stopped. */
interface Supervised {
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** Owns the processes of an installation. `broken` rejects when one of them ends by itself. */
export class Supervisor {
  private readonly layers: Supervised[][] = [];
  private stopping = false;
  private fail: (error: Error) => void = () => undefined;

  /** Rejects when a process has ended that was not stopped. */
  readonly broken = new Promise<never>((_resolve, reject) => (this.fail = reject));

  /** Adds processes that need those of the earlier calls: they are stopped before these. */
  add(...layer: readonly Supervised[]): void {
    this.layers.push([...layer]);
    for (const one of layer) {
      void one.ended.then((how) => {
        if (!this.stopping) this.fail(new Error(how));
      });
    }
  }

  /** Ends everything, the latest layer first, and processes that were still starting. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const layer of this.layers.reverse()) await Promise.all(layer.map((one) => one.stop()));
    await endGuardedProcesses();
  }
}
