import type { Middleware } from 'koa';
import { AppError } from '../../../shared/engine/errors';

/** Headers that this service or a library parses before it is known whose time that takes. */
const PARSED = [
  'accept',
  'accept-encoding',
  'accept-language',
  'content-encoding',
  'content-type',
  'host',
  'prefer',
  'x-forwarded-for',
  'x-forwarded-host',
] as const;
/** Characters. Those of browsers have fewer than 200; a list of 15,000 takes 6 ms to parse. */
const LONGEST = 1_024;

/**
 * Node.js counts no separators as bytes of the headers, so thousands of short ones fit into its limit. 95 that fill 8 KiB take 23 KB of memory
 * until the request ends.
 */
export const MAX_HEADERS = 100;

/** Bounds what headers take to parse and to keep. @throws {AppError} 431 */
export const headerLengths: Middleware = ({ headers, req }, next) => {
  if (req.rawHeaders.length > 2 * MAX_HEADERS) {
    throw new AppError('bad_request', `a request must have at most ${MAX_HEADERS} headers`, { status: 431 });
  }
  const long = PARSED.find((name) => (headers[name]?.length ?? 0) > LONGEST);
  if (long === undefined) return next();
  throw new AppError('bad_request', `${long} must have at most ${LONGEST} characters`, { status: 431 });
};
