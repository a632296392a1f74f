import type { Context, Middleware } from 'koa';

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const harmless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Returns a middleware that keeps web pages of other origins from using a stand-in through the developer's browser. It
 * responds with 403 to a `Host` that is not a name of this machine (as after DNS rebinding), and to a change with the
 * `Origin` of another page. Programs send no `Origin`. The host and origin of `publicUrl` are accepted as well.
 */
export function ownPagesOnly(publicUrl: string | null = null): Middleware {
  const own = publicUrl === null ? null : new URL(publicUrl);
  return async (ctx, next) => {
    const hostname = hostnameOf(ctx.get('Host'));
    if (hostname === null || !(loopbackNames.has(hostname) || hostname === own?.hostname)) {
      return refuse(ctx, 'this server is reached as localhost or 127.0.0.1');
    }
    const origin = ctx.get('Origin');
    const isOwn = origin === '' || origin === `http://${ctx.get('Host')}` || origin === own?.origin;
    if (!isOwn && !harmless.has(ctx.method)) return refuse(ctx, 'pages of other origins can change nothing here');
    await next();
  };
}

function hostnameOf(host: string): string | null {
  const address = `http://${host}`;
  return URL.canParse(address) ? new URL(address).hostname : null;
}

function refuse(ctx: Context, message: string): void {
  ctx.status = 403;
  ctx.body = { message };
}
