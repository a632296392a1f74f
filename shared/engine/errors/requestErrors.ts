import { AppError, retrySoon } from './AppError';
import type { ErrorCode } from './codes';

/** One thing that is wrong with a request: a JSON path without a leading slash (`items/0/quantity`) and a sentence. */
export interface FieldProblem {
  path: string;
  message: string;
}

/** The most problems that one response reports. */
export const MAX_PROBLEMS = 20;

/** 400: the request does not have the documented form. Reports the first {@link MAX_PROBLEMS} problems. */
export class ValidationFailed extends AppError {
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    const reported = problems.slice(0, MAX_PROBLEMS);
    super('validation_failed', reported.map((p) => `${p.path} ${p.message}`.trim()).join('; '), { status: 400 });
    this.problems = reported;
  }

  static at(path: string, message: string): ValidationFailed {
    return new ValidationFailed([{ path, message }]);
  }
}

/** 400 that is not about one field: malformed JSON, an id that is no number, a client without an address. */
export class BadRequest extends AppError {
  constructor(code: ErrorCode, message: string) {
    super(code, message, { status: 400 });
  }
}

/** 404: absent, soft-deleted or another company's: a client cannot tell which. */
export class NotFound extends AppError {
  constructor(what: string, code: ErrorCode = 'not_found') {
    super(code, `${what} not found`, { status: 404 });
  }
}

/** 409: the record's state forbids the request. */
export class Conflict extends AppError {
  constructor(code: ErrorCode, message: string) {
    super(code, message, { status: 409 });
  }
}

/** 409: the company has reached the limit of one kind. */
export class LimitReached extends Conflict {
  /**
   * @param limit the limited resource, as the metric names it
   * @param message names the limit, its value and the remedy
   */
  constructor(
    readonly limit: string,
    message: string,
  ) {
    super('limit_reached', message);
  }
}

/** 412: `If-Match` names another version than the stored one. */
export class PreconditionFailed extends AppError {
  constructor() {
    super('precondition_failed', 'the record has changed since it was read: If-Match does not match its ETag', {
      status: 412,
    });
  }
}

/** 503: MySQL, Redis or the file store cannot be reached, or cannot do its part now (full, read-only). */
export class ServiceUnavailable extends AppError {
  constructor(what: string, cause?: unknown, problem = 'cannot be reached') {
    super('service_unavailable', `${what} ${problem} at the moment`, { ...retrySoon, cause });
  }
}

/** 503: MySQL could not carry out a statement, and a retry helps. A job that meets it uses no attempt. */
export class DatabaseUnavailable extends ServiceUnavailable {
  /**
   * @param reason `unavailable`: every statement fails (no connection, read-only, disk full); `contended`: only this statement or
   * transaction fails (a lock that another transaction holds, a statement that was interrupted)
   */
  constructor(
    readonly reason: 'unavailable' | 'contended',
    cause?: unknown,
  ) {
    super('the database', cause, reason === 'contended' ? 'is busy with other changes of the same records' : undefined);
  }
}

/** 503: this process has reached a limit of work in progress. The request was not carried out. A retry may succeed soon. */
export class Overloaded extends AppError {
  /** @param what the exhausted resource as the client reads it, for example "request bodies" */
  constructor(what: string) {
    super('overloaded', `the service has too many ${what} in progress at the moment`, retrySoon);
  }
}

/** 429: the company, or the network, asks for more than its share. The same request is carried out later. */
export class TooManyRequests extends AppError {
  constructor(code: ErrorCode, message: string, retryAfterSeconds: number) {
    super(code, message, { status: 429, retryable: true, headers: { 'Retry-After': String(retryAfterSeconds) } });
  }
}

/** 400: the client closed its connection before its request was complete or began. No client reads the response. */
export class RequestAborted extends AppError {
  constructor() {
    super('request_aborted', 'the client closed the connection', { status: 400 });
  }
}

/** 408: the body does not arrive, or too slowly. */
export class RequestTimeout extends AppError {
  constructor() {
    super('request_timeout', 'the request did not arrive in time', { status: 408, retryable: true });
  }
}

/** 503: a secret cannot be encrypted or decrypted with the keys of `SECRETS_KEY`. The log has the reason. */
export class SecretsUnavailable extends AppError {
  /** @param reason for operators */
  constructor(reason: string) {
    super('secrets_unavailable', 'the service cannot store or read secrets until its operator has set it up', {
      status: 503,
      retryable: true,
      cause: new Error(reason),
    });
  }
}
