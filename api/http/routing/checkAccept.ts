import type { Context } from 'koa';
import { AppError } from '../../../shared/engine/errors';
import type { Route } from './Route';

/** Returns the media types of a route's success. */
export function successTypes({ success, csv }: Pick<Route, 'success' | 'csv'>): readonly string[] {
  if (csv !== undefined) return ['application/json', 'text/csv'];
  return success.schema ? ['application/json'] : [success.contentType ?? 'application/octet-stream'].flat();
}

/**
 * Returns a check that the `Accept` of a request allows one of the media types. Ignores parameters except `q=0`, so that
 * `application/json; charset=utf-8` gets JSON. Errors are always problem+json.
 * @throws {AppError} 406 from the returned function.
 */
export function acceptCheck(types: readonly string[]): (ctx: Context) => void {
  const matching = new Set(['*/*', ...types, ...types.map((type) => `${type.slice(0, type.indexOf('/'))}/*`)]);
  const matches = (range: string): boolean => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return matching.has(type) && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  };
  return ({ headers: { accept } }) => {
    if (accept === undefined || accept === '' || matching.has(accept) || accept.split(',').some(matches)) return;
    throw new AppError('not_acceptable', `the response is ${types.join(' or ')}, which Accept rules out`, {
      status: 406,
    });
  };
}

/** Tests whether a request prefers CSV to JSON (RFC 9110, 12.5.1). JSON is what a caller without a preference gets. */
export function prefersCsv(ctx: Context): boolean {
  return ctx.accepts('application/json', 'text/csv') === 'text/csv';
}
