import Router from '@koa/router';
import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { respondWithHtml, unknownPage } from '../pages/layout';
import { refreshHash } from '../pages/refresh';
import { buttons, eventPage, eventsPage } from './pages';
import { readControl, type ReceiverFaults } from './ReceiverFaults';
import type { ReceivedEvents } from './ReceivedEvents';
import type { Verifier } from './Verifier';

const pageLength = 100;
const defaultLimit = 50;
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'";
const listPolicy = `${pagePolicy}; form-action 'self'; script-src ${refreshHash}; connect-src 'self'`;

/** Returns the routes of the page, the JSON lists and `PUT /control`. */
export function httpRoutes(events: ReceivedEvents, faults: ReceiverFaults, verifier: Verifier): Router {
  const router = new Router();
  const jsonBody = koaBody({ json: true, urlencoded: false, text: false });

  router.get('/', (ctx: Context) => {
    respondWithHtml(ctx, listPolicy, eventsPage(events.list(), pageLength, faults.waiting));
  });

  router.get('/events/:id', (ctx: Context) => {
    const event = events.get(idOf(ctx));
    respondWithHtml(
      ctx,
      pagePolicy,
      event ? eventPage(event) : unknownPage('No such event', '<a href="/">← Events</a>'),
    );
    if (!event) ctx.status = 404;
  });

  router.post('/faults', koaBody({ json: false, urlencoded: true, text: false }), (ctx: Context) => {
    const { fault } = (ctx.request.body ?? {}) as { fault?: string };
    const button = buttons[fault ?? ''];
    if (fault === 'reset') faults.reset();
    else if (button) faults.control(button.fault);
    ctx.redirect('/');
    ctx.status = 303;
  });

  router.get('/api/events', (ctx: Context) => {
    const { type, limit } = ctx.query;
    const found = events.list().filter((event) => type === undefined || event.type === type);
    ctx.body = found.slice(0, Number(limit) || defaultLimit);
  });

  router.get('/api/events/:id', (ctx: Context) => {
    const event = events.get(idOf(ctx));
    if (event) ctx.body = event;
  });

  router.delete('/api/events', (ctx: Context) => {
    events.clear();
    ctx.status = 204;
  });

  router.get('/control', (ctx: Context) => {
    ctx.body = { faults: faults.waiting };
  });

  router.put('/control', jsonBody, (ctx: Context) => {
    const read = readControl(ctx.request.body);
    if ('problem' in read) {
      ctx.status = 400;
      ctx.body = { message: read.problem };
      return;
    }
    const { control } = read;
    if (control.reset) faults.reset();
    if (control.secret !== undefined) verifier.add(control.secret);
    faults.control(control);
    ctx.body = { faults: faults.waiting };
  });

  return router;
}

const idOf = (ctx: Context) => Number((ctx.params as { id: string }).id);
