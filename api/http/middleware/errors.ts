import { STATUS_CODES } from 'node:http';
import type { Middleware } from 'koa';
import { toDatabaseUnavailable } from '../../../shared/engine/db';
import {
  AppError,
  type ErrorCode,
  type FieldProblem,
  LimitReached,
  Overloaded,
  RequestAborted,
  ValidationFailed,
} from '../../../shared/engine/errors';
import type { Logger } from '../../../shared/engine/log';
import { metrics } from '../../../shared/engine/metrics';
import { routeOf } from '../routing/routeOf';

/** No problem has a page of its own (RFC 9457, 4.2.1). */
export const problemType = 'about:blank';

/** Problem details (RFC 9457), with an additional `message`, because successes have a `message` too. */
export interface Problem {
  type: typeof problemType;
  title: string;
  status: number;
  code: ErrorCode;
  detail: string;
  message: string;
  errors?: readonly FieldProblem[];
  requestId: string;
}

export function problemOf(error: AppError, requestId: string): Problem {
  return {
    type: problemType,
    title: STATUS_CODES[error.status] ?? 'Error',
    status: error.status,
    code: error.code,
    detail: error.message,
    message: error.message,
    ...(error instanceof ValidationFailed && { errors: error.problems }),
    requestId,
  };
}

/** Responds to every error with problem details. Only the log has the details of a 5xx. */
export function errors(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toAppError(thrown);
      const requestId = String(ctx.state.requestId);
      if (error instanceof LimitReached) metrics.limitReached.add(error.limit);
      logFailure(log, error, { err: thrown, requestId, route: routeOf(ctx) });
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
  details: { err: unknown; requestId: string; route: string | null },
): void {
  // A limit that works is no fault, and a flood of requests must not become a flood of stack traces in the log.
  if (details.err instanceof Overloaded) log.warn({ ...details, err: details.err.message }, code);
  else if (status >= 500) log.error(details, code);
  else if (details.err instanceof RequestAborted) log.debug(details, code);
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const unavailable = toDatabaseUnavailable(error);
  if (unavailable !== null) return unavailable;
  // Koa and its middleware throw http-errors, for example for malformed paths.
  const { status, expose } = error as { status?: number; expose?: boolean };
  if (expose === true && status !== undefined && status >= 400 && status < 500) {
    return new AppError('bad_request', (error as Error).message, { status, cause: error });
  }
  return new AppError('internal_error', 'something went wrong on our side; the request id finds it in our log', {
    status: 500,
    cause: error,
  });
}
