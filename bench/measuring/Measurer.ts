import { fork } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../../config/paths';
import { endProcess } from '../../dev/servers/endProcess';
import { guardProcess, unguardProcess } from '../../dev/servers/guard';
import type { Sample } from './Sample';
import type { Reply } from './serveMeasurements';

/** A process that measures: what it costs to drive load is not charged to who is driven. */
export class Measurer<Task> {
  private waiting: { resolve: (sample: Sample) => void; reject: (error: Error) => void } | null = null;

  private constructor(
    private readonly child: ReturnType<typeof fork>,
    /** Resolves with how it ended. */
    readonly ended: Promise<string>,
  ) {
    child.on('message', (reply: Reply) => {
      if ('sample' in reply) this.waiting?.resolve(reply.sample);
      else this.waiting?.reject(new Error(reply.failure));
    });
    void ended.then((how) => this.waiting?.reject(new Error(how)));
  }

  /** Starts the script, which calls `serveMeasurements`; `script` is compiled and named from the project's root. */
  static start<Task>(script: string): Measurer<Task> {
    const child = fork(join(projectRoot, script), { detached: true, execArgv: ['--enable-source-maps'] });
    const { pid } = child;
    if (pid !== undefined) guardProcess(pid);
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(`${script} could not be started: ${error.message}`));
      child.once('exit', (code, signal) => {
        if (pid !== undefined) unguardProcess(pid);
        resolve(`${script} ended with ${signal ?? `exit code ${code}`}`);
      });
    });
    return new Measurer(child, ended);
  }

  /** @throws {Error} what the measuring process failed with. */
  measure(task: Task): Promise<Sample> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.child.send(task as object, (error) => error && reject(error));
    });
  }

  async stop(): Promise<void> {
    if (this.child.pid !== undefined && this.child.exitCode === null) await endProcess(this.child.pid);
    await this.ended;
  }
}
