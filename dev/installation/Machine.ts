import { join } from 'node:path';
import { projectRoot } from '../../config/paths';
import { startPart, type Part, type ReadyMessage } from '../launcher/part';

export interface MachineOptions {
  readonly name: string;
  /** The compiled entry, from the root of a release. */
  readonly script: string;
  readonly dataDir: string;
  readonly variables: Readonly<Record<string, string>>;
  /** True if the whole run must end when the process ends by itself. */
  readonly isVital?: boolean;
}

const stopWithinMs = 30_000;

/** One process of the installation, which can be killed and started again. */
export class Machine {
  /** How the process ended, for each time without a stop or kill. */
  readonly deaths: string[] = [];
  /** The folder of the release that the next start runs. */
  release = projectRoot;
  /** Resolves when a vital process has ended by itself. */
  readonly ended: Promise<string>;
  private reportEnd: (how: string) => void = () => undefined;
  private message: ReadyMessage = {};
  private part: Part | null = null;
  private isStopping = false;

  constructor(private readonly options: MachineOptions) {
    this.ended = new Promise((resolve) => {
      if (options.isVital === true) this.reportEnd = resolve;
    });
  }

  get name(): string {
    return this.options.name;
  }

  get pid(): number {
    return this.part?.pid ?? 0;
  }

  /** The address of a process that reports its port. */
  get url(): string {
    return `http://127.0.0.1:${String(this.message['port'])}`;
  }

  get variables(): Readonly<Record<string, string>> {
    return this.options.variables;
  }

  get runs(): boolean {
    return this.part !== null;
  }

  /** Starts the process with its variables, overridden by `over`. Resolves when it takes work. */
  async start(over: Readonly<Record<string, string>> = {}): Promise<void> {
    const { name, script, dataDir, variables } = this.options;
    const environment = { ...process.env, ...variables, ...over };
    // The log stays in its file: faults make most of these processes log errors.
    const part = startPart({
      name,
      script: join(this.release, script),
      environment,
      dataDir,
      stopWithinMs,
      log: () => undefined,
    });
    this.part = part;
    this.isStopping = false;
    void part.ended.then((how) => {
      if (this.part === part) this.part = null;
      if (this.isStopping) return;
      this.deaths.push(how);
      this.reportEnd(how);
    });
    this.message = await part.ready;
  }

  /** Ends the process immediately (SIGKILL). */
  async kill(): Promise<void> {
    const part = this.part;
    if (part === null) return;
    this.isStopping = true;
    process.kill(part.pid, 'SIGKILL');
    await part.ended;
    if (this.part === part) this.part = null;
  }

  /** Stops the process (SIGTERM), and kills it after 30 seconds. */
  async stop(): Promise<void> {
    const part = this.part;
    if (part === null) return;
    this.isStopping = true;
    await part.stop();
    if (this.part === part) this.part = null;
  }

  async restart(over: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.stop();
    await this.start(over);
  }
}
