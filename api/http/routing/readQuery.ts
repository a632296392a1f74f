import type { Context } from 'koa';
import { ValidationFailed } from '../../../shared/engine/errors';

/** Operations have fewer than this; Koa's parser takes quadratic time for one that is repeated: 5,000 took 0.35 s. */
const MAX_PARAMETERS = 100;

/**
 * Parses the query of a request: text, or a list of texts for a parameter that is repeated.
 * @throws {ValidationFailed} for too many parameters, before it is parsed.
 */
export function readQuery({ request, querystring }: Context): Readonly<Record<string, string | string[] | undefined>> {
  let count = 0;
  for (let at = querystring.indexOf('&'); at >= 0; at = querystring.indexOf('&', at + 1)) count++;
  if (count >= MAX_PARAMETERS) throw ValidationFailed.at('query', `must have at most ${MAX_PARAMETERS} parameters`);
  return request.query;
}
