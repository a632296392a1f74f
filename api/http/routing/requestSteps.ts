import type { Context } from 'koa';
import { queues } from '../../../config/queues';
import { includesScope, type Scope } from '../../../shared/apiKeys';
import { measuredSql } from '../../../shared/engine/db';
import { AppError } from '../../../shared/engine/errors';
import type { Turn } from '../../../shared/engine/fair';
import { normaliseBody } from '../../../shared/engine/schemas';
import type { Services } from '../../../shared/services';
import { UPLOAD_MS } from '../limits/Limits';
import { csvResponse } from '../csv/csvResponse';
import { announceDeprecated } from './announceDeprecated';
import { Call } from './Call';
import { prefersCsv } from './checkAccept';
import type { Exchange, Means } from './Exchange';
import { recordTags } from './gzip';
import { withIdempotency } from './idempotency';
import { inTurn } from './inTurn';
import { measuredFiles } from './measuredFiles';
import { dropBody } from './paceBody';
import { hasBody, readJsonBody } from './readBody';
import { readId } from './readId';
import { readQuery } from './readQuery';
import { withUpload } from './readUpload';
import { sendResponse } from './sendResponse';

/** The most that a job counts in its request: an import costs twenty times as much, but few of one company may wait. */
const MOST_OF_JOB_MS = 20;

/** Bytes of a body from which its steps run one by one. */
const LARGE_BODY_BYTES = 64 * 1024;

/** One step of a request. What follows runs within `next`. */
type Step = (exchange: Exchange, next: () => Promise<void>) => Promise<void> | void;

/** 403 */
const checkScope: Step = ({ identity, route }, next) => {
  requireScope(identity.scopes, route.scope);
  return next();
};

/** 406 */
const checkAccept: Step = ({ ctx, checks }, next) => {
  checks.checkAccept(ctx);
  return next();
};

/** 415, 413, 408. Takes no slot, so that slow clients do not occupy the slots. */
const receiveBody: Step = async (exchange, next) => {
  const { ctx, route, checks, identity, means } = exchange;
  const { limits } = means;
  const { companyId } = identity;
  if (route.upload !== undefined) {
    // Whether or not it succeeds, and before it costs anything.
    const pay = (): Promise<void> => inTurn(ctx, limits, ({ meter }) => Promise.resolve(meter.add(UPLOAD_MS)));
    return withUpload(ctx, route.upload, { limits, companyId, pay }, (upload) => {
      exchange.upload = upload;
      return next();
    });
  }
  if (!checks.takesBody) {
    if (hasBody(ctx)) dropBody(ctx.req, limits.bodyPace, companyId);
    return next();
  }
  exchange.body = await readJsonBody(ctx, limits, companyId);
  try {
    await next();
  } finally {
    exchange.body.release();
  }
};

/** 429, 503: the company's share of the process. */
const takeTurn: Step = (exchange, next) =>
  inTurn(exchange.ctx, exchange.means.limits, (turn) => {
    exchange.turn = turn;
    return next();
  });

/** 503: the company's responses that wait for their readers. Before it, thousands of waiting changes would pass. */
const admit: Step = ({ means, identity }, next) => {
  means.open.admit(identity.companyId);
  return next();
};

/** 400. The steps of a large body run one by one, so that other requests run in between. */
const check: Step = async (exchange, next) => {
  const { ctx, route, checks, turn, upload } = exchange;
  // The fields of a form have the types of their schema once they are checked.
  const body = upload === null ? ((await exchange.body.parse(turn.meter)) ?? {}) : { ...upload.fields };
  const isLarge = checks.takesBody && mayBeLarge(ctx);
  const breathe = (): Promise<void> | undefined => (isLarge ? turn.meter.breathe() : undefined);
  await breathe();
  const params = readId(ctx.params as Record<string, string>);
  const query = presentParameters(ctx);
  // Before the checks, which add defaults.
  announceDeprecated(exchange, checks.usedDeprecated(query, body));
  checks.checkBody?.(body);
  checks.checkFields?.(body as Record<string, unknown>);
  await breathe();
  checks.checkQuery(query);
  const normalised = route.body ? normaliseBody(route.body, body) : body;
  route.check?.(normalised);
  await breathe();
  if (upload !== null) await route.upload?.check?.(upload, turn.meter);
  exchange.request = { params, body, normalised, query };
  return next();
};

/** The idempotency key, the use-case, the response. */
const respond: Step = async ({ ctx, route, checks, means, identity, turn, upload, request }) => {
  const { companyId, keyId, actor, requestId } = identity;
  const { replica, sql: primary } = means.services;
  const sql = replica !== null && checks.mayReadReplica ? await replica.reader(keyId) : primary;
  const services = measuredServices(means, turn, companyId, sql);
  const preconditions = {
    ifMatch: recordTags(ctx.get('If-Match')) || null,
    respondAsync: /(^|[\s,])respond-async($|[\s,;])/i.test(ctx.get('Prefer')),
  };
  const isSecret = route.secretResponse ?? false;
  const content = upload === null ? request.body : { ...upload.fields, sha256: upload.sha256 };
  const keyed = { body: content, secretResponse: isSecret };
  const responding = withIdempotency(services, ctx, companyId, keyed, (idempotent) => {
    const scope = { services, companyId, actor, requestId, turn, limits: means.limits };
    const { params, normalised, query } = request;
    const call = new Call(scope, params, normalised, query, preconditions, idempotent, upload);
    if (checks.csvTable === undefined) return route.handle(call);
    ctx.vary('Accept');
    if (!prefersCsv(ctx)) return route.handle(call);
    return csvResponse(route, checks.csvTable, call, () => means.limits.exports.begin(companyId, ctx.res));
  });
  // An error may follow a change as well.
  const response = await responding.finally(() => (route.method === 'GET' ? undefined : replica?.wrote(keyId)));
  await sendResponse(ctx, response, { open: means.open, flow: companyId, log: means.services.log, isSecret, turn });
};

/** What a request meets after its key (401) and its path (404, 405), in the documented order. */
const steps: readonly Step[] = [checkScope, checkAccept, receiveBody, takeTurn, admit, check, respond];

/** Runs a request through all steps. @throws what the first step that refuses it throws. */
export const serveRequest = steps.reduceRight<(exchange: Exchange) => Promise<void>>(
  (next, step) => async (exchange) => step(exchange, () => next(exchange)),
  () => Promise.resolve(),
);

/** @throws {AppError} 403 when the key lacks the scope. */
export function requireScope(granted: readonly Scope[], needed: Scope): void {
  if (includesScope(granted, needed)) return;
  const headers = { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${needed}"` };
  throw new AppError('insufficient_scope', `this API key lacks the scope "${needed}"`, { status: 403, headers });
}

/** Tests whether the body may have more bytes than are validated in a millisecond; one that is compressed or of unknown length may. */
function mayBeLarge(ctx: Context): boolean {
  const { 'content-length': length, 'content-encoding': encoding } = ctx.headers;
  return hasBody(ctx) && !(encoding === undefined && Number(length) <= LARGE_BODY_BYTES);
}

/**
 * Returns the services with statements (those of `sql`), transactions and files that the meter counts. A job counts as what it costs a
 * worker: a caller that does not wait for its end could record jobs much faster than they are done.
 */
export function measuredServices(
  { services, limits }: Pick<Means, 'services' | 'limits'>,
  turn: Turn,
  companyId: number,
  sql = services.sql,
): Services {
  const { meter } = turn;
  const perform: Services['perform'] = (scope, work) =>
    services.perform({ ...scope, meter }, async (uow) => {
      const result = await work(uow);
      for (const { queue } of uow.recordedJobs) meter.add(Math.min(queues[queue].costMs, MOST_OF_JOB_MS));
      return result;
    });
  const performForInstallation: Services['performForInstallation'] = (actor, work) =>
    services.performForInstallation(actor, work, meter);
  return Object.create(services, {
    sql: { value: measuredSql(sql, meter) },
    files: { value: measuredFiles(services.files, turn, limits.files, companyId) },
    storeCheck: { value: { ensure: () => turn.aside(() => services.storeCheck.ensure()) } },
    perform: { value: perform },
    performForInstallation: { value: performForInstallation },
  }) as Services;
}

/** Returns the query parameters that are not empty: an empty one counts as absent, but for `cursor=`, which begins a list. */
function presentParameters(ctx: Context): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(readQuery(ctx)).filter(([name, value]) => value !== '' || name === 'cursor'),
  );
}
