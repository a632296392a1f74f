import type { Context } from 'koa';
import type { Scope } from '../../../shared/apiKeys';
import type { Upload } from '../../../shared/engine/files';
import { bodyValidator, queryValidator } from '../../../shared/engine/schemas';
import type { Services } from '../../../shared/services';
import { CsvTable } from '../csv/CsvTable';
import type { Turn } from '../../../shared/engine/fair';
import type { Limits } from '../limits/Limits';
import type { OpenResponses } from '../limits/OpenResponses';
import { deprecationsOf } from './deprecations';
import { acceptCheck, successTypes } from './checkAccept';
import { queryOf } from './queryOf';
import { type JsonBody, noBody } from './readBody';
import type { Route } from './Route';

/** Koa's state after authentication. */
export interface Identity {
  companyId: number;
  keyId: number;
  actor: string;
  requestId: string;
  scopes: readonly Scope[];
  /** Set once the request has asked for its turn, or needs none. */
  hasTurn?: true;
}

/** What all requests of a process share. */
export interface Means {
  readonly services: Services;
  readonly limits: Limits;
  readonly open: OpenResponses;
}

/** A route with its checks, which are compiled once. */
export type CheckedRoute = ReturnType<typeof withChecks>;

/** Compiles the checks of a route. */
export function withChecks(route: Route) {
  const query = queryOf(route);
  return {
    route,
    csvTable: route.csv && new CsvTable(route.csv.row),
    checkAccept: acceptCheck(successTypes(route)),
    checkBody: route.body && bodyValidator(route.body),
    checkFields: route.upload?.fields && queryValidator(route.upload.fields),
    checkQuery: queryValidator(query ?? { type: 'object' }),
    mayReadReplica: mayReadReplica(route),
    usedDeprecated: deprecationsOf(route).usedBy,
    /** The body of a GET or DELETE has no meaning (RFC 9110, 9.3). */
    takesBody: route.method === 'POST' || route.method === 'PUT',
  };
}

/**
 * Lists, reports and files may be read at a replica. A single record is read at the primary: programs act on it, often because an event or
 * a webhook has just named it. So are events and jobs, which say what has happened by now.
 */
function mayReadReplica({ method, query, csv, success }: Route): boolean {
  const isList = Object.hasOwn((query?.properties as object | undefined) ?? {}, 'page');
  return method === 'GET' && (isList || csv !== undefined || success.contentType !== undefined);
}

/** A request that was checked without reading any record. */
export interface CheckedRequest {
  readonly params: Readonly<Record<string, number>>;
  /** As the caller sent it, and with what the schema adds and converts. */
  readonly body: unknown;
  readonly normalised: object;
  readonly query: object;
}

/** One request of an authenticated company on its way through the steps, with what they have made of it. */
export class Exchange {
  readonly identity: Identity;
  upload: Upload | null = null;
  body: JsonBody = noBody;
  /** Set by the step that takes the turn. */
  turn!: Turn;
  /** Set by the step that checks the request. */
  request!: CheckedRequest;

  constructor(
    readonly ctx: Context,
    readonly means: Means,
    readonly checks: CheckedRoute,
  ) {
    this.identity = ctx.state;
  }

  get route(): Route {
    return this.checks.route;
  }
}
