import Ajv, { type JSONSchemaType } from 'ajv';

/**
 * What goes wrong with the next `times` requests: `fail` responds with `status`, `late` responds after `delayMs`, `hang` never
 * responds, `break` cuts the connection.
 */
export interface ReceiverFault {
  mode: 'fail' | 'late' | 'hang' | 'break';
  times: number;
  status: number;
  delayMs: number;
}

/** The body of `PUT /control`: `reset` forgets the faults first, `secret` verifies with a further secret. */
export interface ReceiverControl extends Partial<ReceiverFault> {
  reset?: boolean;
  secret?: string;
}

const schema: JSONSchemaType<ReceiverControl> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    mode: { type: 'string', enum: ['fail', 'late', 'hang', 'break'], nullable: true },
    times: { type: 'integer', minimum: 1, maximum: 1_000_000, nullable: true },
    status: { type: 'integer', minimum: 200, maximum: 599, nullable: true },
    delayMs: { type: 'integer', minimum: 0, maximum: 600_000, nullable: true },
    reset: { type: 'boolean', nullable: true },
    secret: { type: 'string', pattern: /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/u.source, nullable: true },
  },
};

const ajv = new Ajv();
const validate = ajv.compile(schema);

/** Returns the body of a control request, or what is wrong with it. */
export function readControl(body: unknown): { control: ReceiverControl } | { problem: string } {
  return validate(body) ? { control: body } : { problem: ajv.errorsText(validate.errors, { dataVar: 'body' }) };
}

/** The faults that are waiting to happen. */
export class ReceiverFaults {
  private queue: ReceiverFault[] = [];

  get waiting(): readonly ReceiverFault[] {
    return this.queue;
  }

  add({ mode, times = 1, status = 500, delayMs = 3_000 }: ReceiverControl): void {
    if (mode !== undefined) this.queue.push({ mode, times, status, delayMs });
  }

  reset(): void {
    this.queue = [];
  }

  /** Takes the fault of the next request, if any. */
  next(): ReceiverFault | null {
    const [fault] = this.queue;
    if (fault === undefined) return null;
    fault.times -= 1;
    if (fault.times <= 0) this.queue.shift();
    return fault;
  }
}
