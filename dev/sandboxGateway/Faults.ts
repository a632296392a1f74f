/** The calls of the provider's API. */
export const operations = ['create', 'get', 'list', 'expire'] as const;
export type Operation = (typeof operations)[number];

/**
 * What goes wrong with the next `times` calls of an operation:
 *
 * - `fail`: responds with `status` (429 comes with `Retry-After` and `Rate-Limit-*`)
 * - `hang`: accepts the call and never responds
 * - `late`: responds after `delayMs`
 * - `break`: cuts the connection instead of a response
 *
 * `work` says whether the call is carried out first (a link is made although nobody is told). A `late` call without it is
 * carried out after the delay.
 */
export interface Fault {
  mode: 'fail' | 'hang' | 'late' | 'break';
  operation: Operation | 'any';
  times: number;
  status: number;
  delayMs: number;
  retryAfterSeconds: number;
  work: boolean;
}

/** The faults that are waiting for their calls, in the order in which they were asked for, and what was called so far. */
export class Faults {
  #waiting: Fault[] = [];
  readonly calls: Record<Operation, number> = { create: 0, get: 0, list: 0, expire: 0 };
  callbacks = true;

  get waiting(): readonly Fault[] {
    return this.#waiting;
  }

  add(fault: Fault): void {
    this.#waiting.push(fault);
  }

  reset(): void {
    this.#waiting = [];
    this.callbacks = true;
    for (const operation of operations) this.calls[operation] = 0;
  }

  /** Counts a call, and takes the fault that is meant for it, if any. */
  next(operation: Operation): Fault | null {
    this.calls[operation] += 1;
    const fault = this.#waiting.find((one) => one.operation === 'any' || one.operation === operation);
    if (!fault) return null;
    fault.times -= 1;
    this.#waiting = this.#waiting.filter((one) => one.times > 0);
    return fault;
  }
}
