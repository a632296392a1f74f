import Ajv, { type JSONSchemaType } from 'ajv';

/**
 * Where in a session a fault happens: at the greeting, on the password, on `MAIL`, on `RCPT`, in the middle of the
 * message's data, or on the reply after the whole message.
 */
export const stages = ['connect', 'auth', 'mail', 'rcpt', 'data', 'reply'] as const;
export type Stage = (typeof stages)[number];

/**
 * A fault of the next `times` times: `refuse` replies with `code`, `late` replies after `delayMs` (both are the same at
 * `data` and `reply`), `hang` never replies, `break` cuts the connection. At `reply` the message is kept on all but
 * `refuse`.
 */
export interface SmtpFault {
  mode: 'refuse' | 'late' | 'hang' | 'break';
  stage: Stage;
  times: number;
  code: number;
  message: string;
  delayMs: number;
}

/** The body of `PUT /control`: `reset` drops the waiting faults first. */
export interface SmtpControl extends Partial<SmtpFault> {
  reset?: boolean;
}

const schema: JSONSchemaType<SmtpControl> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    mode: { type: 'string', enum: ['refuse', 'late', 'hang', 'break'], nullable: true },
    stage: { type: 'string', enum: stages, nullable: true },
    times: { type: 'integer', minimum: 1, maximum: 1_000_000, nullable: true },
    code: { type: 'integer', minimum: 400, maximum: 599, nullable: true },
    message: { type: 'string', pattern: /^[ -~]{1,200}$/u.source, nullable: true },
    delayMs: { type: 'integer', minimum: 0, maximum: 600_000, nullable: true },
    reset: { type: 'boolean', nullable: true },
  },
};

const ajv = new Ajv();
const validate = ajv.compile(schema);

/** The queue of faults. */
export class SmtpFaults {
  #waiting: SmtpFault[] = [];

  get waiting(): readonly SmtpFault[] {
    return this.#waiting;
  }

  /** Carries out a `PUT /control`. Returns the problem of its body, or null. */
  control(body: unknown): string | null {
    if (!validate(body)) return ajv.errorsText(validate.errors, { dataVar: 'body' });
    const { reset, mode, ...given } = body;
    if (reset) this.#waiting = [];
    const defaults = {
      ...{ stage: 'reply' as const, times: 1, delayMs: 3_000 },
      ...{ code: 451, message: 'The mail catcher was asked to refuse' },
    };
    if (mode) this.#waiting.push({ ...defaults, ...given, mode });
    return null;
  }

  /** Returns the next fault of the stage, or null, and counts it as used. */
  next(stage: Stage): SmtpFault | null {
    if (this.#waiting.length === 0) return null;
    const fault = this.#waiting.find((one) => one.stage === stage);
    if (!fault) return null;
    fault.times -= 1;
    this.#waiting = this.#waiting.filter((one) => one.times > 0);
    return fault;
  }
}
