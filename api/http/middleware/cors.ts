import koaCors from '@koa/cors';
import type { Middleware } from 'koa';
import { requestHeaders, responseHeaders } from '../openapi/headers';

/** Lets pages of the configured origins call the API (Fetch standard, "CORS protocol"). */
export function cors(origins: readonly string[]): Middleware {
  return koaCors({
    // For an empty origin, the response has no CORS headers.
    origin: (ctx) => origins.find((origin) => origin === ctx.get('Origin')) ?? '',
    allowMethods: 'GET, POST, PUT, DELETE',
    allowHeaders: ['Authorization', 'Content-Type', 'X-Request-Id', ...requestHeaders].join(', '),
    exposeHeaders: responseHeaders.join(', '),
    maxAge: 600,
    // An outer middleware turns errors into responses and keeps the headers.
    keepHeadersOnError: false,
  });
}
