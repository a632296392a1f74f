import { STATUS_CODES } from 'node:http';
import type { Middleware } from 'koa';
import { toDatabaseUnavailable } from '../../shared/database/databaseErrors';
import { AppError, Overloaded, RequestAborted, ValidationFailed, type FieldProblem } from '../../shared/errors';
import type { Logger } from '../../shared/log';

/** RFC 9457, with `message` beside `detail` because successes have a `message` too. */
export interface Problem {
  type: 'about:blank';
  title: string;
  status: number;
  code: string;
  detail: string;
  message: string;
  errors?: readonly FieldProblem[];
  requestId: string;
}

export function problemOf(error: AppError, requestId: string): Problem {
  return {
    type: 'about:blank',
    title: STATUS_CODES[error.status] ?? 'Error',
    status: error.status,
    code: error.code,
    detail: error.message,
    message: error.message,
    ...(error instanceof ValidationFailed && { errors: error.problems }),
    requestId,
  };
}

/** Answers every error in the one shape; what a 5xx was is for the log only. */
export function errors(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toAppError(thrown);
      const requestId = String(ctx.state.requestId);
      logFailure(log, error, { err: thrown, requestId, path: ctx.path });
      ctx.status = error.status;
      ctx.set(error.headers);
      ctx.set('Content-Type', 'application/problem+json; charset=utf-8');
      ctx.body = JSON.stringify(problemOf(error, requestId));
    }
  };
}

function logFailure(
  log: Logger,
  { status, code }: AppError,
  details: { err: unknown; requestId: string; path: string },
): void {
  // A bound that holds is no fault, and a flood of requests is none of log lines with stacks.
  if (details.err instanceof Overloaded) log.warn({ ...details, err: details.err.message }, code);
  else if (status >= 500) log.error(details, code);
  else if (details.err instanceof RequestAborted) log.debug(details, code);
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const unavailable = toDatabaseUnavailable(error);
  if (unavailable !== null) return unavailable;
  // Malformed paths and the like, of Koa and its middleware (http-errors).
  const { status, expose } = error as { status?: number; expose?: boolean };
  if (expose === true && status !== undefined && status >= 400 && status < 500) {
    return new AppError('bad_request', (error as Error).message, { status, cause: error });
  }
  return new AppError('internal_error', 'something went wrong on our side; the request id finds it in our log', {
    status: 500,
    cause: error,
  });
}
