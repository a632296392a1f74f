import type { Context } from 'koa';
import { AppError, BadRequest, RequestAborted, ValidationFailed } from '../../../shared/engine/errors';
import type { Services } from '../../../shared/services';
import {
  IdempotentRequest,
  requestHash,
  responseCipher,
  type StoredResponse,
} from '../../../shared/engine/idempotency';
import { problemOf } from '../middleware/errors';
import { toStored } from './Call';
import type { RouteResponse } from './RouteResponse';

const KEY = /^[\x20-\x7e]{1,255}$/;

/**
 * Returns the stored response of a POST under an Idempotency-Key, or handles the request and stores its response: 2xx, and 4xx
 * that the record's state decided. After any other response the same request can be retried.
 */
export async function withIdempotency(
  services: Services,
  ctx: Context,
  companyId: number,
  request: { body: unknown; secretResponse: boolean },
  handle: (idempotent: IdempotentRequest | null) => Promise<RouteResponse>,
): Promise<RouteResponse> {
  const key = ctx.headers['idempotency-key'];
  if (ctx.method !== 'POST' || key === undefined) return handle(null);
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw new BadRequest('invalid_idempotency_key', 'Idempotency-Key must have 1 to 255 printable ASCII characters');
  }
  const hash = requestHash(ctx.method, ctx.path, request.body);
  const cipher = request.secretResponse ? responseCipher(ctx.get('Authorization').split(/ +/)[1] ?? '') : null;
  const begun = await IdempotentRequest.begin(services, companyId, key, hash, cipher);
  if (!(begun instanceof IdempotentRequest)) return replayed(begun);
  try {
    const response = await handle(begun);
    if (!begun.isComplete) await begun.store(toStored(response));
    return response;
  } catch (error) {
    if (isDecidedByState(error)) await begun.store(storedProblem(ctx, error));
    else await begun.release();
    throw error;
  } finally {
    begun.stopRenewing();
  }
}

/** Responds with the stored bytes. */
function replayed({ status, headers, body }: StoredResponse): RouteResponse {
  const type = `application/${status >= 400 ? 'problem+json' : 'json'}; charset=utf-8`;
  return { status, headers: { ...headers, 'Content-Type': type, 'Idempotent-Replayed': 'true' }, json: body };
}

function isDecidedByState(error: unknown): error is AppError {
  if (!(error instanceof AppError)) return false;
  if (error instanceof ValidationFailed || error instanceof RequestAborted) return false;
  return error.status >= 400 && error.status < 500 && ![401, 403, 412, 429].includes(error.status);
}

function storedProblem(ctx: Context, error: AppError): StoredResponse {
  return {
    status: error.status,
    headers: { ...error.headers },
    body: JSON.stringify(problemOf(error, String(ctx.state.requestId))),
  };
}
