import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail server that takes this long for a message, as one across the internet does. */
const MESSAGE_MS = 250;

/** Accepts every message, slowly, and counts them by Message-ID. */
export class SlowMailServer {
  private readonly received = new Map<string, number>();

  private constructor(private readonly server: SMTPServer) {}

  /** Listens on a free port. */
  static async start(): Promise<SlowMailServer> {
    const server: SMTPServer = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      disableReverseLookup: true,
      onData: (stream, _session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          slow.count(Buffer.concat(chunks).toString('latin1'));
          setTimeout(done, MESSAGE_MS);
        });
      },
    });
    const slow = new SlowMailServer(server);
    server.on('error', (error) => process.stderr.write(`slow mail server: ${error.message}\n`));
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    return slow;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  /** How many different messages came, and how many came again. */
  get counts(): { different: number; again: number } {
    const all = [...this.received.values()];
    return { different: all.length, again: all.reduce((sum, times) => sum + times - 1, 0) };
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
  }

  private count(message: string): void {
    const id = /^message-id: *(\S+)/im.exec(message)?.[1] ?? message;
    this.received.set(id, (this.received.get(id) ?? 0) + 1);
  }
}
