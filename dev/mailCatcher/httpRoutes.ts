import Router from '@koa/router';
import type { Context } from 'koa';
import { respondWithHtml, unknownPage } from '../pages/layout';
import { refreshHash } from '../pages/refresh';
import type { MessageStore } from './MemoryStore';
import { inboxPage, messagePage } from './pages';
import type { ParsedMessages } from './ParsedMessages';
import type { SmtpFaults } from './SmtpFaults';

const inboxLength = 100;
const defaultLimit = 50;

/** A message's HTML may be shown and may open links in a new tab. Scripts and external resources are blocked. */
const framePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; " +
  'sandbox allow-popups allow-popups-to-escape-sandbox';
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'";
const inboxPolicy = `${pagePolicy}; script-src ${refreshHash}; connect-src 'self'`;

/** Returns the routes of the web inbox, the JSON lists and `PUT /control`. */
export function httpRoutes(store: MessageStore, messages: ParsedMessages, faults: SmtpFaults): Router {
  const router = new Router();

  router.get('/', async (ctx: Context) => {
    const newest = await messages.find({ to: '', subject: '', messageId: '', limit: inboxLength });
    respondWithHtml(ctx, inboxPolicy, inboxPage(newest, store.list().length));
  });

  router.get('/messages/:id', async (ctx: Context) => {
    const message = await messages.get(idOf(ctx));
    respondWithHtml(
      ctx,
      pagePolicy,
      message ? messagePage(message) : unknownPage('No such message', '<a href="/">← Inbox</a>'),
    );
    if (!message) ctx.status = 404;
  });

  router.get('/messages/:id/html', async (ctx: Context) => {
    const message = await messages.get(idOf(ctx));
    if (message?.html) respondWithHtml(ctx, framePolicy, `<base target="_blank">${message.html}`);
  });

  router.get('/api/messages', async (ctx: Context) => {
    const { to, subject, messageId, limit } = ctx.query;
    const most = Number(first(limit)) || defaultLimit;
    ctx.body = await messages.find({
      to: first(to),
      subject: first(subject),
      messageId: first(messageId),
      limit: most,
    });
  });

  router.get('/api/messages/:id', async (ctx: Context) => {
    const message = await messages.get(idOf(ctx));
    if (message) ctx.body = { ...message.summary, text: message.text, html: message.html };
  });

  router.get('/api/messages/:id/attachments/:index', async (ctx: Context) => {
    const message = await messages.get(idOf(ctx));
    const index = Number((ctx.params as { index: string }).index);
    const file = message?.summary.attachments[index];
    if (!file) return;
    ctx.attachment(file.filename);
    ctx.set('X-Content-Type-Options', 'nosniff');
    ctx.type = file.contentType;
    ctx.body = message.contents[index];
  });

  router.get('/api/messages/:id/raw', async (ctx: Context) => {
    const raw = await store.raw(idOf(ctx));
    if (!raw) return;
    ctx.type = 'text/plain; charset=utf-8';
    ctx.set('X-Content-Type-Options', 'nosniff');
    ctx.body = raw;
  });

  router.delete('/api/messages', async (ctx: Context) => {
    await store.clear();
    ctx.status = 204;
  });

  router.get('/control', (ctx: Context) => {
    ctx.body = { faults: faults.waiting };
  });

  router.put('/control', (ctx: Context) => {
    const problem = faults.control(ctx.request.body);
    ctx.status = problem === null ? 200 : 400;
    ctx.body = problem === null ? { faults: faults.waiting } : { message: problem };
  });

  return router;
}

const idOf = (ctx: Context) => Number((ctx.params as { id: string }).id);

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value) ?? '';
