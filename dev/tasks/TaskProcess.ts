import { fork } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../../config/paths';
import { endProcess } from '../servers/pidFile';
import { guardProcess, unguardProcess } from '../servers/guard';
import type { Order, Reply } from './serveTasks';

/** A process that drives load or measures: its CPU time and its event loop are not those of the process under test. */
export class TaskProcess<Task, Result> {
  private waiting: { resolve: (result: Result) => void; reject: (error: Error) => void } | null = null;

  private hasBegun: () => void = () => undefined;

  private constructor(
    private readonly child: ReturnType<typeof fork>,
    /** Resolves with how it ended. */
    readonly ended: Promise<string>,
  ) {
    child.on('message', (reply: Reply<Result>) => {
      if ('hasBegun' in reply) this.hasBegun();
      else if ('result' in reply) this.waiting?.resolve(reply.result);
      else this.waiting?.reject(new Error(reply.failure));
    });
    void ended.then((how) => this.waiting?.reject(new Error(how)));
  }

  /** Starts the script, which calls `serveTasks`; `script` is compiled and named from the project's root. */
  static start<Task, Result>(script: string): TaskProcess<Task, Result> {
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
    return new TaskProcess(child, ended);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /**
   * Runs one task at a time.
   * @param hasBegun called when the task reports that it has begun
   * @throws {Error} the error that the task failed with.
   */
  run(task: Task, hasBegun: () => void = () => undefined): Promise<Result> {
    this.hasBegun = hasBegun;
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.order({ task }, reject);
    });
  }

  /** Aborts the signal of the running task, which then returns its result early. */
  interrupt(): void {
    this.order({ interrupt: true }, (error) => this.waiting?.reject(error));
  }

  async stop(): Promise<void> {
    if (this.child.pid !== undefined && this.child.exitCode === null) await endProcess(this.child.pid);
    await this.ended;
  }

  private order(order: Order<Task>, fail: (error: Error) => void): void {
    this.child.send(order, (error) => error && fail(error));
  }
}
