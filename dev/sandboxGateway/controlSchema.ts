import Ajv, { type JSONSchemaType } from 'ajv';
import { operations, type Fault } from './Faults';

/** The body of `PUT /control`: each part is optional. */
export interface ControlBody extends Partial<Fault> {
  /** Forgets the faults and the counts, and switches callbacks on, before the rest is done. */
  reset?: boolean;
  callbacks?: boolean;
}

const schema: JSONSchemaType<ControlBody> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    mode: { type: 'string', enum: ['fail', 'hang', 'late', 'break'], nullable: true },
    operation: { type: 'string', enum: [...operations, 'any'], nullable: true },
    times: { type: 'integer', minimum: 1, maximum: 1_000_000, nullable: true },
    status: { type: 'integer', minimum: 400, maximum: 599, nullable: true },
    delayMs: { type: 'integer', minimum: 0, maximum: 600_000, nullable: true },
    retryAfterSeconds: { type: 'integer', minimum: 0, maximum: 3600, nullable: true },
    work: { type: 'boolean', nullable: true },
    reset: { type: 'boolean', nullable: true },
    callbacks: { type: 'boolean', nullable: true },
  },
};

const ajv = new Ajv();
const validate = ajv.compile(schema);

/** The body, or what is wrong with it. */
export function readControl(body: unknown): { control: ControlBody } | { problem: string } {
  return validate(body) ? { control: body } : { problem: ajv.errorsText(validate.errors, { dataVar: 'body' }) };
}

/** The fault that a body asks for, completed, or null. Without `work`, a late or broken call is carried out first. */
export function faultOf({ mode, reset: _reset, callbacks: _callbacks, ...given }: ControlBody): Fault | null {
  if (!mode) return null;
  const work = mode === 'late' || mode === 'break';
  return { operation: 'any', times: 1, status: 500, delayMs: 3000, retryAfterSeconds: 1, work, ...given, mode };
}
