import { controlReader, FaultQueue } from '../standIns/FaultQueue';

/** The calls of the provider's API. */
export const operations = ['create', 'get', 'list', 'expire'] as const;
export type Operation = (typeof operations)[number];

/**
 * A fault of the next `times` calls of an operation:
 *
 * - `fail`: responds with `status` (429 comes with `Retry-After` and `Rate-Limit-*`)
 * - `hang`: accepts the call and never responds
 * - `late`: responds after `delayMs`
 * - `break`: cuts the connection instead of a response
 *
 * `work` says whether the call is carried out first (the link exists although the caller gets no response). A `late` call without it is
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

/** The body of `PUT /control`: each part is optional. */
export interface ControlBody extends Partial<Fault> {
  /** First drops the faults, resets the counts and switches callbacks on. */
  reset?: boolean;
  callbacks?: boolean;
}

/** Returns the body of a control request, or its problem. */
export const readControl = controlReader<ControlBody>({
  mode: { enum: ['fail', 'hang', 'late', 'break'] },
  operation: { enum: [...operations, 'any'] },
  status: { type: 'integer', minimum: 400, maximum: 599 },
  retryAfterSeconds: { type: 'integer', minimum: 0, maximum: 3600 },
  work: { type: 'boolean' },
  callbacks: { type: 'boolean' },
});

/** The faults of the gateway, the calls so far, and whether callbacks are sent. */
export class Faults extends FaultQueue<Fault> {
  readonly calls: Record<Operation, number> = { create: 0, get: 0, list: 0, expire: 0 };
  callbacks = true;

  /** Carries out a `PUT /control`. Without `work`, a late or broken call is carried out first. */
  control({ mode, reset, callbacks, ...given }: ControlBody): void {
    if (reset) this.reset();
    if (callbacks !== undefined) this.callbacks = callbacks;
    const defaults = { operation: 'any', times: 1, status: 500, delayMs: 3000, retryAfterSeconds: 1 } as const;
    if (mode) this.add({ ...defaults, work: mode === 'late' || mode === 'break', ...given, mode });
  }

  override reset(): void {
    super.reset();
    this.callbacks = true;
    for (const operation of operations) this.calls[operation] = 0;
  }

  /** Counts a call, and returns its fault or null. */
  next(operation: Operation): Fault | null {
    this.calls[operation] += 1;
    return this.take((fault) => fault.operation === 'any' || fault.operation === operation);
  }
}
