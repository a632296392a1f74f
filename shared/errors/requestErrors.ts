import { AppError } from './AppError';

/** One thing that is wrong with a request: a JSON path without a leading slash (`items/0/quantity`) and a sentence. */
export interface FieldProblem {
  path: string;
  message: string;
}

/** 400: the request does not have the documented form. */
export class ValidationFailed extends AppError {
  constructor(readonly problems: readonly FieldProblem[]) {
    super('validation_failed', problems.map((p) => `${p.path} ${p.message}`.trim()).join('; '), { status: 400 });
  }

  static at(path: string, message: string): ValidationFailed {
    return new ValidationFailed([{ path, message }]);
  }
}

/** 400 that is not about one field: malformed JSON, an id that is no number, a client without an address. */
export class BadRequest extends AppError {
  constructor(code: string, message: string) {
    super(code, message, { status: 400 });
  }
}

/** 401: no usable API key. The message never says which of the reasons it was. */
export class Unauthorized extends AppError {
  constructor(message = 'a valid API key is required: Authorization: Bearer <API_TOKEN>') {
    super('unauthorized', message, { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } });
  }
}

/** 403: the key is valid and lacks the scope. */
export class ScopeMissing extends AppError {
  constructor(scope: string) {
    super('insufficient_scope', `this API key lacks the scope "${scope}"`, {
      status: 403,
      headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    });
  }
}

/** 404: absent, soft-deleted or another company's: a client cannot tell which. */
export class NotFound extends AppError {
  constructor(what: string, code = 'not_found') {
    super(code, `${what} not found`, { status: 404 });
  }
}

/** 409: what the record's state forbids. */
export class Conflict extends AppError {
  constructor(code: string, message: string) {
    super(code, message, { status: 409 });
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

/** 503: MySQL or Redis cannot be reached. */
export class ServiceUnavailable extends AppError {
  constructor(what: string, cause?: unknown) {
    super('service_unavailable', `${what} cannot be reached at the moment`, {
      status: 503,
      retryable: true,
      headers: { 'Retry-After': '2' },
      cause,
    });
  }
}
