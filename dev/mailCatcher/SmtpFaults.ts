import { controlReader, FaultQueue } from '../standIns/FaultQueue';

/**
 * The stages of a session at which a fault may happen: at the greeting, on the password, on `MAIL`, on `RCPT`, in the
 * middle of the message's data, or on the reply after the whole message.
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

const readControl = controlReader<SmtpControl>({
  mode: { enum: ['refuse', 'late', 'hang', 'break'] },
  stage: { enum: stages },
  code: { type: 'integer', minimum: 400, maximum: 599 },
  message: { type: 'string', pattern: /^[ -~]{1,200}$/u.source },
});

export class SmtpFaults extends FaultQueue<SmtpFault> {
  /** Carries out a `PUT /control`. Returns the problem of its body, or null. */
  control(body: unknown): string | null {
    const read = readControl(body);
    if ('problem' in read) return read.problem;
    const { reset, mode, ...given } = read.control;
    if (reset) this.reset();
    const defaults = {
      ...{ stage: 'reply' as const, times: 1, delayMs: 3_000 },
      ...{ code: 451, message: 'The mail catcher was asked to refuse' },
    };
    if (mode) this.add({ ...defaults, ...given, mode });
    return null;
  }

  next(stage: Stage): SmtpFault | null {
    return this.take((fault) => fault.stage === stage);
  }
}
