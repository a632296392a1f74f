import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Router from '@koa/router';
import { withBaseStyle } from '../../shared/documents';
import { NotFound } from '../../shared/engine/errors';
import { type FixedResponse, fixedResponse, sendFixed } from '../http/routing/sendFixed';
import type { ReferenceDocument } from './ReferenceDocument';
import { pageDir, renderReference } from './renderReference';

/** For files whose names change with their content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** The page runs only its own script and sends requests only to its own origin. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const HTML = 'text/html; charset=utf-8';

/**
 * Adds the reference page, which is rendered from the OpenAPI document at the first request. A browser that opens `/` is redirected to it.
 */
export function addReference(router: Router, document: () => object): void {
  const read = (name: string): string => readFileSync(join(pageDir, name), 'utf8');
  const style = fixedResponse('text/css; charset=utf-8', withBaseStyle(null, read('reference.css')));
  const script = fixedResponse('text/javascript; charset=utf-8', read('reference.js'));
  const files = new Map([
    [`${nameOf(style)}.css`, style],
    [`${nameOf(script)}.js`, script],
  ]);
  const [styleName, scriptName] = files.keys();
  let page: Promise<FixedResponse> | undefined;
  const render = async (): Promise<FixedResponse> => {
    // Relative, so that a proxy may serve the API below a path of its own.
    const assets = { style: `docs/${styleName}`, script: `docs/${scriptName}` };
    return fixedResponse(HTML, await renderReference(document() as ReferenceDocument, assets));
  };

  router.get('/', (ctx) => {
    ctx.vary('Accept');
    if (ctx.accepts('json', 'html') !== 'html') throw new NotFound('route', 'route_not_found');
    ctx.redirect('docs');
  });
  router.get('/docs', async (ctx) => {
    if (ctx.path.endsWith('/')) return ctx.redirect('../docs');
    ctx.set({ 'Content-Security-Policy': POLICY, 'Referrer-Policy': 'no-referrer' });
    sendFixed(ctx, await (page ??= render()));
  });
  router.get('/docs/:file', (ctx) => {
    const file = files.get(String((ctx.params as { file: string }).file));
    if (file === undefined) throw new NotFound('route', 'route_not_found');
    sendFixed(ctx, file, FOR_EVER);
  });
}

const nameOf = ({ etag }: FixedResponse): string => etag.replaceAll('"', '');
