import { STATUS_CODES } from 'node:http';
import type { Middleware } from 'koa';
import { isConnectionLoss } from '../../shared/database/databaseErrors';
import { AppError, ServiceUnavailable, ValidationFailed, type FieldProblem } from '../../shared/errors';
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
      if (error.status >= 500) log.error({ err: thrown, requestId, path: ctx.path }, error.code);
      ctx.status = error.status;
      ctx.set(error.headers);
      ctx.set('Content-Type', 'application/problem+json; charset=utf-8');
      ctx.body = JSON.stringify(problemOf(error, requestId));
      // A body that was refused unread would be taken for the next request of the connection.
      if (!ctx.req.complete) ctx.set('Connection', 'close');
    }
  };
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isConnectionLoss(error)) return new ServiceUnavailable('the database', error);
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
