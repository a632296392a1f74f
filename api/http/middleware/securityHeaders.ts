import helmet from 'koa-helmet';

/**
 * Sets security headers for responses that are data, not pages: a browser must not run or frame them. Headers that only concern
 * pages are left out.
 */
export const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
  frameguard: { action: 'deny' },
  crossOriginOpenerPolicy: false,
  dnsPrefetchControl: false,
  ieNoOpen: false,
  originAgentCluster: false,
  permittedCrossDomainPolicies: false,
  referrerPolicy: false,
  xssFilter: false,
});
