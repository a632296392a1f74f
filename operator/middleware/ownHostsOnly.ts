import { isIP } from 'node:net';
import type { Middleware } from 'koa';
import type { Config } from '../../config/env';

/**
 * Without a token, refuses a request whose `Host` is neither an IP address, nor `localhost`, nor the configured `OPERATOR_HOST`: 421. A
 * page of a stranger, whose own name was made to resolve to this port (DNS rebinding), counts as a page of the port for the browser; its
 * `Host` is the stranger's name. With a token every name is accepted: the stranger's page has no password to send.
 */
export function ownHostsOnly({ token, host }: Config['operator']): Middleware {
  const own = new Set(['localhost', hostnameOf(host)]);
  return async (ctx, next) => {
    const hostname = hostnameOf(ctx.get('Host'));
    if (token !== '' || own.has(hostname) || isIP(hostname) !== 0) {
      await next();
      return;
    }
    ctx.status = 421;
    ctx.body =
      'Without OPERATOR_TOKEN this port is reached by its IP address, as localhost, or as the name in OPERATOR_HOST.\n';
  };
}

/** Returns the name or address of a `Host` as browsers write it, without its port; the empty text if there is none. */
function hostnameOf(host: string): string {
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '';
}
