import type { EventEmitter } from 'node:events';
import { AppError, Overloaded, RequestAborted } from '../../../shared/kernel/errors';

export interface LineOptions {
  /** Requests that run at the same time. */
  places: number;
  /** Requests that wait for a place. */
  maxWaiting: number;
  maxWaitMs: number;
}

interface Waiting {
  admit(): void;
  refuse(error: AppError): void;
}

/** The requests of one company: some of them run, the others wait in their order of arrival. */
export class Line {
  private running = 0;
  private readonly waiting = new Set<Waiting>();
  /** Requests that gave their place up for a while. They come before those that have not begun. */
  private readonly returning: (() => void)[] = [];

  constructor(
    private readonly options: Pick<LineOptions, 'maxWaiting' | 'maxWaitMs'>,
    /** Returns how many may run now, at least one. A lower number interrupts no running request. */
    private readonly places: () => number,
  ) {}

  /** Waits for a place and takes it. @throws {AppError} as {@link Places.within} does. */
  enter(response: EventEmitter): Promise<void> {
    if (this.takeFree()) return Promise.resolve();
    if (this.waiting.size >= this.options.maxWaiting) return Promise.reject(tooManyRequests());
    return new Promise((resolve, reject) => {
      const leaveLine = (): void => {
        this.waiting.delete(waiting);
        clearTimeout(timer);
        response.off('close', abort);
      };
      const waiting: Waiting = {
        admit: () => {
          leaveLine();
          resolve();
        },
        refuse: (error) => {
          leaveLine();
          reject(error);
        },
      };
      const abort = (): void => waiting.refuse(new RequestAborted());
      const timer = setTimeout(
        () => waiting.refuse(new Overloaded('requests of this company')),
        this.options.maxWaitMs,
      );
      timer.unref();
      response.once('close', abort);
      this.waiting.add(waiting);
    });
  }

  /** Waits for a place again after {@link leave}; never refused. */
  comeBack(): Promise<void> {
    return this.takeFree() ? Promise.resolve() : new Promise((resolve) => this.returning.push(resolve));
  }

  /** Gives the place back, and admits as many waiting requests as there are places now. */
  leave(): void {
    this.running -= 1;
    while (this.returning.length + this.waiting.size > 0 && this.takeFree()) this.admitNext();
  }

  /** Refuses all waiting requests. */
  refuseWaiting(): void {
    for (const waiting of [...this.waiting]) waiting.refuse(new Overloaded('requests of this company'));
  }

  private takeFree(): boolean {
    if (this.running >= this.places()) return false;
    this.running += 1;
    return true;
  }

  private admitNext(): void {
    const comeBack = this.returning.shift();
    if (comeBack !== undefined) return comeBack();
    const [next] = this.waiting;
    next?.admit();
  }
}

function tooManyRequests(): AppError {
  return new AppError('too_many_requests', 'too many requests of this company are in progress', {
    status: 429,
    retryable: true,
    headers: { 'Retry-After': '1' },
  });
}
