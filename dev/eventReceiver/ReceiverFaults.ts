import { controlReader, FaultQueue } from '../standIns/FaultQueue';

/**
 * A fault of the next `times` requests: `fail` responds with `status`, `late` responds after `delayMs`, `hang` never
 * responds, `break` cuts the connection.
 */
export interface ReceiverFault {
  mode: 'fail' | 'late' | 'hang' | 'break';
  times: number;
  status: number;
  delayMs: number;
}

/** The body of `PUT /control`: `reset` drops the faults first, `secret` adds a secret for verification. */
export interface ReceiverControl extends Partial<ReceiverFault> {
  reset?: boolean;
  secret?: string;
}

/** Returns the body of a control request, or its problem. */
export const readControl = controlReader<ReceiverControl>({
  mode: { enum: ['fail', 'late', 'hang', 'break'] },
  status: { type: 'integer', minimum: 200, maximum: 599 },
  secret: { type: 'string', pattern: /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/u.source },
});

export class ReceiverFaults extends FaultQueue<ReceiverFault> {
  control({ mode, times = 1, status = 500, delayMs = 3_000 }: ReceiverControl): void {
    if (mode !== undefined) this.add({ mode, times, status, delayMs });
  }

  next(): ReceiverFault | null {
    return this.take(() => true);
  }
}
