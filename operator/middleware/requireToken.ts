import { createHash, timingSafeEqual } from 'node:crypto';
import type { Middleware } from 'koa';

const AUTHORIZATION = /^(bearer|basic) +(\S+)$/i;

/**
 * Refuses requests without the token, which is sent as a Bearer token or as the password of Basic authentication. The
 * challenge is Basic, so that a browser asks for it. An empty token refuses none.
 */
export function requireToken(token: string): Middleware {
  const expected = digest(token);
  return async (ctx, next) => {
    if (token === '' || timingSafeEqual(digest(givenToken(ctx.get('Authorization'))), expected)) {
      await next();
      return;
    }
    ctx.status = 401;
    ctx.set('WWW-Authenticate', 'Basic realm="invoicing operator", charset="UTF-8"');
    ctx.body = 'The operator token is needed, as a Bearer token or as the password of Basic authentication.\n';
  };
}

function givenToken(authorization: string): string {
  const [, scheme = '', credentials = ''] = AUTHORIZATION.exec(authorization) ?? [];
  if (scheme.toLowerCase() === 'bearer') return credentials;
  const pair = Buffer.from(credentials, 'base64').toString();
  return pair.slice(pair.indexOf(':') + 1);
}

/** Digests have one length, so comparing them in constant time says nothing about the length of the token. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
