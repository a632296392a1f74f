import { STATUS_CODES } from 'node:http';
import type { Middleware } from 'koa';
import { LRUCache } from 'lru-cache';
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
import { companyOf, type FlowKey } from '../../../shared/engine/fair';
import { type Logger, OccasionalWarning } from '../../../shared/engine/log';
import { metrics } from '../../../shared/engine/metrics';
import type { Identity } from '../routing/Exchange';
import { requesterOf } from '../routing/inTurn';
import { routeOf } from '../routing/routeOf';

/** Companies whose exceeded limits are logged, each at most once a minute. */
const MAX_WARNED = 1_000;

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
  const memoMethod = (): OccasionalWarning => new OccasionalWarning(log, 'overloaded');
  const overloads = new LRUCache<FlowKey, OccasionalWarning>({ max: MAX_WARNED, memoMethod });
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toAppError(thrown);
      const { requestId, companyId } = ctx.state as Identity;
      if (error instanceof LimitReached) metrics.limitReached.add(error.limit);
      const details = { requestId, route: routeOf(ctx) };
      if (error instanceof Overloaded) {
        // A limit that works is no fault, and a flood of requests must not become a flood of lines in the log.
        overloads.memo(companyOf(requesterOf(ctx))).note({ ...details, companyId, err: error.message });
      } else if (error.status >= 500) log.error({ ...details, err: thrown }, error.code);
      else if (error instanceof RequestAborted) log.debug({ ...details, err: thrown }, error.code);
      ctx.state.code = error.code;
      ctx.status = error.status;
      ctx.set(error.headers);
      ctx.set('Content-Type', 'application/problem+json; charset=utf-8');
      ctx.body = JSON.stringify(problemOf(error, requestId));
    }
  };
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
