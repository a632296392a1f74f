import type { Middleware } from 'koa';
import { beginSpan } from '../../../shared/engine/trace';
import { endOf } from './endOf';

/** Makes each request a span that ends with its response. Continues the trace of the caller's `traceparent`, if there is one. */
export const traceRequests: Middleware = (ctx, next) => {
  const parent = ctx.get('traceparent') || null;
  return beginSpan(ctx.method, { kind: 'server', parent }, (span) => {
    const attributes = { 'http.request.method': ctx.method };
    ctx.res.once('close', () => {
      const { route, status, isCutOff, companyId } = endOf(ctx);
      if (route !== null) span.rename(`${ctx.method} ${route}`);
      span.set({
        ...attributes,
        ...(route !== null && { 'http.route': route }),
        ...(status !== null && { 'http.response.status_code': status }),
        ...(companyId !== undefined && { 'invoicing.company.id': companyId }),
        'invoicing.request.id': String(ctx.state.requestId),
      });
      if (isCutOff) span.fail({ code: 'cut_off' });
      else if (status !== null && status >= 500) span.fail({ code: String(status) });
      span.end();
    });
    return next();
  });
};
