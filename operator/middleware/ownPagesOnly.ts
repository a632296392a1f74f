import type { Middleware } from 'koa';

/**
 * Keeps pages of other origins out. They cannot read: there are no CORS headers, and `same-origin` refuses responses as images and scripts
 * too. They cannot change anything with the credentials that a browser adds.
 */
export const ownPagesOnly: Middleware = async (ctx, next) => {
  ctx.set({
    'Cache-Control': 'no-store',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
  });
  const changes = ctx.method !== 'GET' && ctx.method !== 'HEAD';
  if (changes && !(isOwn(ctx.get('Origin'), ctx.host) && ownSites.includes(ctx.get('Sec-Fetch-Site')))) {
    ctx.status = 403;
    ctx.body = 'This request comes from a page of another origin.\n';
    return;
  }
  await next();
};

/** Of the browser's own words: this origin, or none but the user. Other clients, and some browsers without TLS, do not send it. */
const ownSites = ['', 'same-origin', 'none'];

/** Browsers send `Origin` with every request that is neither GET nor HEAD; other clients do not. */
function isOwn(origin: string, host: string): boolean {
  return origin === '' || (URL.canParse(origin) && new URL(origin).host === host);
}
