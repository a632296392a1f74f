import type { PrivateServer } from '../servers/serverProcess';

/** A server that can be killed and started again on the same data. */
export class DataServer {
  /** Never resolves: the end of a server is part of a fault. */
  readonly ended = new Promise<string>(() => undefined);
  private server: PrivateServer | null = null;
  private lastUrl = '';

  constructor(private readonly startServer: () => Promise<PrivateServer>) {}

  get url(): string {
    return this.lastUrl;
  }

  get port(): number {
    return Number(new URL(this.lastUrl).port);
  }

  get pid(): number {
    return this.server?.pid ?? 0;
  }

  get runs(): boolean {
    return this.server !== null;
  }

  async start(): Promise<void> {
    this.server = await this.startServer();
    this.lastUrl = this.server.url;
  }

  /** Ends the server immediately (SIGKILL). */
  async kill(): Promise<void> {
    const { server } = this;
    if (server === null) return;
    process.kill(server.pid, 'SIGKILL');
    await server.ended;
    this.server = null;
  }

  /** Freezes the server (SIGSTOP), or lets it continue (SIGCONT). Does nothing if it does not run. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    if (this.server !== null) process.kill(this.server.pid, signal);
  }

  async stop(): Promise<void> {
    await this.server?.stop();
    this.server = null;
  }
}
