import Router from '@koa/router';
import type { Context } from 'koa';
import type { CallbackSender } from './CallbackSender';
import { readControl, type Faults } from './Faults';
import type { LinkStore } from './LinkStore';

/**
 * Routes that the provider does not have: `PUT /control` adds faults of the next calls, `GET /control` shows them, `GET
 * /links` shows every link, call and callback, `DELETE /links` removes the links, `POST /links/{id}/callback` repeats
 * the callback of a link.
 */
export function controlRoutes(links: LinkStore, faults: Faults, callbacks: CallbackSender): Router {
  const router = new Router();
  const state = () => ({ faults: faults.waiting, callbacks: faults.callbacks, calls: faults.calls });

  router.get('/control', (ctx: Context) => {
    ctx.body = state();
  });

  router.put('/control', (ctx: Context) => {
    const read = readControl(ctx.request.body);
    if ('problem' in read) {
      ctx.status = 400;
      ctx.body = { error_code: 'API_VALIDATION_ERROR', message: read.problem };
      return;
    }
    faults.control(read.control);
    ctx.body = state();
  });

  router.get('/links', (ctx: Context) => {
    ctx.body = { links: links.all(), calls: faults.calls, callbacks: callbacks.records };
  });

  router.delete('/links', (ctx: Context) => {
    links.clear();
    ctx.status = 204;
  });

  router.post('/links/:id/callback', async (ctx: Context) => {
    const link = links.get((ctx.params as { id: string }).id);
    if (!link) return;
    await callbacks.send(link, 'link');
    ctx.body = { sent: true };
  });

  return router;
}
