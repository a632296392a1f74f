import { once } from 'node:events';
import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { Answer } from './checkedLookup';
import type { NamesData, Question } from './publicNamesThread';

/**
 * Asks the name servers, in a thread of its own: a server may answer with thousands of records, which Node.js needs 20 to 90 ms to
 * read. The system's own look-up would occupy one of two threads that all look-ups of the process share, so a name whose server does not
 * respond would hold up the others for seconds.
 */
export class PublicNames {
  private thread: Worker | undefined;

  /** @param servers the name servers to ask, such as `127.0.0.1:53`; by default those of the machine */
  constructor(private readonly servers?: readonly string[]) {}

  /** Never throws: an answer without addresses has the code of the failure, such as `ENOTFOUND`. */
  readonly resolve = async (hostname: string): Promise<Answer> => {
    const { port1, port2 } = new MessageChannel();
    this.running().postMessage({ hostname, port: port2 } satisfies Question, [port2]);
    const answered = once(port1, 'message') as Promise<[Answer]>;
    // A look-up does not keep a process that ends.
    port1.unref();
    const [answer] = await answered;
    port1.close();
    return answer;
  };

  close(): void {
    void this.thread?.terminate();
    this.thread = undefined;
  }

  private running(): Worker {
    if (this.thread === undefined) {
      const workerData: NamesData = { servers: this.servers };
      this.thread = new Worker(join(__dirname, 'publicNamesThread.js'), { workerData });
      this.thread.unref();
    }
    return this.thread;
  }
}
