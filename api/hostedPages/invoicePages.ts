import { setTimeout as sleep } from 'node:timers/promises';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { printableLogo } from '../../shared/companies';
import {
  type HostedPage,
  pageLanguage,
  type PageNote,
  renderHostedPage,
  renderPageMessage,
} from '../../shared/documents';
import { toDatabaseUnavailable } from '../../shared/engine/db';
import { AppError, NotFound } from '../../shared/engine/errors';
import type { FlowKey, Turn } from '../../shared/engine/fair';
import { type LoadedDocument, invoicePdf, loadPageDocument } from '../../shared/invoiceDocuments';
import { invoiceRules } from '../../shared/invoices';
import { createPaymentLink, gatewayRules, usableLinkUrl } from '../../shared/paymentLinks';
import { requestPaymentLink } from '../../shared/payments';
import type { Services } from '../../shared/services';
import { contentDisposition } from '../http/contentDisposition';
import { Pace } from '../http/limits/Pace';
import { REFUSED_AFTER_MS } from '../http/limits/refusedAfter';
import { tooManyRequests } from '../http/middleware/rateLimit';
import { awaitJob } from '../http/routing/awaitJob';
import type { Means } from '../http/routing/Exchange';
import { requesterOf, inTurn, SHARED_FLOWS } from '../http/routing/inTurn';
import { readQuery } from '../http/routing/readQuery';
import { measuredServices } from '../http/routing/requestSteps';
import type { RouteResponse } from '../http/routing/RouteResponse';
import { sendResponse } from '../http/routing/sendResponse';

/** Requests a second of one network, and how many at full speed. An address without a page counts as many: tokens are not guessed. */
const PACE = { perSecond: 20, burst: 100 };
const UNKNOWN_COSTS = 20;
/** Links that one page asks for. Each is a job and an event, made for whoever has the address. */
const PAY_PACE = { perSecond: 1 / 60, burst: 5 };
/**
 * Of a thousand items, loading and showing take 30 ms each: other requests run in between, and the page counts once more for each hundred
 * of its items.
 */
const MANY_ITEMS = 100;
/** Seconds after which a page that waits for a payment, or for its link, reads itself again. */
const REFRESH_S = 5;

/** A request for a page, once its invoice is known. */
interface PageRequest {
  ctx: Context;
  services: Services;
  turn: Turn;
  companyId: number;
  invoiceId: number;
  loaded: LoadedDocument;
}

/**
 * The page of an invoice, its files, and the way to pay. The address is enough to read it; there is no API key, so all readers together have
 * the share of one company. GET changes nothing, because mail scanners follow links.
 */
export function addInvoicePages(router: Router, means: Means): void {
  const { limits, open } = means;
  const pace = new Pace(PACE.perSecond, PACE.burst);
  const payPace = new Pace(PAY_PACE.perSecond, PAY_PACE.burst);

  const serve =
    (handle: (request: PageRequest) => RouteResponse | Promise<RouteResponse>) =>
    async (ctx: Context): Promise<void> => {
      const network = requesterOf(ctx);
      privately(ctx);
      try {
        // Addresses within a page are relative to it.
        if (ctx.path.endsWith('/')) throw new NotFound('page');
        await inTurn(ctx, limits, async (turn) => {
          // In its turn: of a hundred requests at the same time, it is known by then what those before cost.
          await admit(turn, pace, network, 1);
          const services = measuredServices(means, turn, SHARED_FLOWS.pageFiles);
          const loaded = await loadPageDocument(services, tokenOf(ctx));
          const isShown = loaded !== null && invoiceRules[loaded.invoice.status].freezesParties;
          if (!isShown) await admit(turn, pace, network, UNKNOWN_COSTS);
          if (!isShown) throw new NotFound('page');
          const { companyId, id: invoiceId } = loaded.invoice;
          const hundreds = Math.floor(loaded.document.items.length / MANY_ITEMS);
          pace.count(network, hundreds, performance.now());
          if (hundreds > 0) await turn.meter.breathe();
          const response = await handle({ ctx, services, turn, companyId, invoiceId, loaded });
          if (hundreds > 0) await turn.meter.breathe();
          await sendResponse(ctx, response, { open, flow: network, log: services.log, isSecret: true, turn });
        });
      } catch (error) {
        sayWhy(ctx, error);
      }
    };

  router.get('/i/:token', serve(show));
  router.get('/i/:token/pay', serve(showPayment));
  router.post(
    '/i/:token/pay',
    serve((request) => {
      const { turn, companyId, invoiceId } = request;
      return pay(request, () => admit(turn, payPace, `${companyId}:${invoiceId}`, 1));
    }),
  );
  router.get('/i/:token/pdf', serve(sendPdf));
  router.get('/i/:token/logo', serve(sendLogo));
}

/** @throws {AppError} 429 while the flow is not within its pace, after {@link REFUSED_AFTER_MS} without the slot. */
async function admit(turn: Turn, pace: Pace, flow: FlowKey, amount: number): Promise<void> {
  const waitMs = pace.admit(flow, amount, performance.now());
  if (waitMs === 0) return;
  await turn.aside(() => sleep(REFUSED_AFTER_MS, undefined, { ref: false }));
  throw tooManyRequests(waitMs);
}

function show(request: PageRequest): RouteResponse {
  const { ctx, loaded } = request;
  // Relative, so that a proxy may serve the API below a path of its own.
  const base = ctx.path.split('/').at(-1) ?? '';
  const isBack = readQuery(ctx)['from'] === 'payment' && canPay(request);
  const note = isOpen(loaded) && loaded.isProcessing ? 'onItsWay' : isBack ? 'returned' : null;
  return page(request, { base: `${base}/`, note, refreshes: note === 'returned' });
}

/**
 * Where the form leads if its link is not made yet, or to an origin that its page did not name: it leads on as soon as there is a
 * link, which no policy of forms concerns.
 */
async function showPayment(request: PageRequest): Promise<RouteResponse> {
  const { ctx, services, companyId, invoiceId } = request;
  if (!canPay(request)) return redirect(`../${tokenOf(request.ctx)}`);
  const paymentUrl = await usableLinkUrl(services, companyId, invoiceId);
  if (paymentUrl !== null) ctx.set('Refresh', `0; url=${paymentUrl}`);
  if (paymentUrl !== null) return page(request, { base: '', note: 'preparing' });
  const isPreparing =
    (
      await services.sql.rows('SELECT id FROM jobs WHERE companyId = ? AND dedupeKey = ?', [
        companyId,
        createPaymentLink.dedupeKey?.({ invoiceId }) ?? null,
      ])
    ).length > 0;
  return page(request, { base: '', note: isPreparing ? 'preparing' : 'notPrepared', refreshes: isPreparing });
}

/** Finds or makes the payment link, and leads there. @param admitNew called before a link is made; throws what refuses it */
async function pay(request: PageRequest, admitNew: () => Promise<void>): Promise<RouteResponse> {
  const { services, companyId, invoiceId, loaded } = request;
  if (!canPay(request)) return redirect(`../${tokenOf(request.ctx)}`);
  const find = (): Promise<string | null> => usableLinkUrl(services, companyId, invoiceId);
  const make = async (): Promise<string | null> => {
    await admitNew();
    await makeLink(request);
    return find();
  };
  const paymentUrl = (await find()) ?? (await make());
  const isNamed = paymentUrl !== null && payOrigins(services, loaded).includes(new URL(paymentUrl).origin);
  return redirect(isNamed ? paymentUrl : 'pay');
}

async function makeLink({ services, turn, companyId, invoiceId, ctx }: PageRequest): Promise<void> {
  const { provider: defaultProvider } = services.config.gateway;
  const scope = { companyId, actor: 'hosted-page', isWaitedFor: true, requestId: String(ctx.state.requestId) };
  try {
    const job = await services.perform(scope, (uow) =>
      requestPaymentLink(uow, invoiceId, { defaultProvider, regenerate: false }),
    );
    if (job !== null) await turn.aside((left) => awaitJob(services, job.id, false, left));
  } catch (error) {
    // Paid, or too little is due for the provider: the page says what it is now.
    if (!(error instanceof AppError && error.status === 409)) throw error;
  }
}

async function sendPdf({ services, turn, companyId, invoiceId, ctx }: PageRequest): Promise<RouteResponse> {
  const requestId = String(ctx.state.requestId);
  const { number, documentKey, open } = await invoicePdf(services, { companyId, requestId }, invoiceId);
  return {
    status: 200,
    headers: { 'Content-Disposition': contentDisposition(`invoice-${number}.pdf`) },
    stream: {
      contentType: 'application/pdf',
      etag: `"${documentKey}"`,
      open: async (first) => (await open(turn, first)).file,
    },
  };
}

async function sendLogo({ services, turn, companyId, loaded }: PageRequest): Promise<RouteResponse> {
  const { logoKey } = loaded.document;
  const png = logoKey === null ? null : await turn.aside(() => printableLogo(services, companyId, logoKey));
  if (png === null) throw new NotFound('logo');
  return { status: 200, file: { contentType: 'image/png', bytes: png } };
}

const isOpen = ({ invoice, document }: LoadedDocument): boolean =>
  invoiceRules[invoice.status].canBePaid && /[1-9]/.test(document.due);

const canPay = ({ loaded }: Pick<PageRequest, 'loaded'>): boolean => isOpen(loaded) && !loaded.isProcessing;

/** The origins to which the form of a page may lead. */
function payOrigins({ config: { gateway } }: Services, { current }: LoadedDocument): readonly string[] {
  return gatewayRules(current.gatewayProvider ?? gateway.provider).pages(gateway);
}

const tokenOf = (ctx: Context): string => String((ctx.params as { token: string }).token);

/** 303: a posted form is followed by a GET (RFC 9110, 15.4.4). */
const redirect = (to: string): RouteResponse => ({ status: 303, headers: { Location: to }, file: nothing });
const nothing = { contentType: 'text/plain; charset=utf-8', bytes: Buffer.alloc(0) };

/** @param base what links to the page's files begin with, as seen from the address of the request */
function page(
  request: PageRequest,
  { base, note, refreshes = false }: { base: string; note: PageNote | null; refreshes?: boolean },
): RouteResponse {
  const { ctx, services, loaded } = request;
  const { document } = loaded;
  const rendered = renderHostedPage(document, {
    links: { pdf: `${base}pdf`, pay: `${base}pay`, logo: document.logoKey === null ? null : `${base}logo` },
    canPay: canPay(request) && note !== 'preparing',
    note,
  });
  setPolicy(ctx, rendered, payOrigins(services, loaded));
  if (refreshes) ctx.set('Refresh', String(REFRESH_S));
  return { status: 200, file: { contentType: 'text/html; charset=utf-8', bytes: rendered.html } };
}

/** Nothing of a page is kept by caches, found by search engines, or told to the pages that it links to. */
function privately(ctx: Context): void {
  ctx.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex, nofollow' });
}

/** Chrome and Safari apply `form-action` also to where a posted form is redirected, so it names the provider's pages. */
function setPolicy(ctx: Context, { styleSource }: HostedPage, formOrigins: readonly string[] = []): void {
  const forms = ["'self'", ...formOrigins].join(' ');
  ctx.set(
    'Content-Security-Policy',
    `default-src 'none'; style-src ${styleSource}; img-src 'self'; form-action ${forms}; base-uri 'none'; frame-ancestors 'none'`,
  );
}

/** Responds with a page that says in the reader's language that there is none, or none for now. @throws other errors */
function sayWhy(ctx: Context, error: unknown): void {
  const known = error instanceof AppError ? error : toDatabaseUnavailable(error);
  if (known === null || ![404, 429, 503].includes(known.status) || ctx.headerSent) throw error;
  const language = pageLanguage(ctx.acceptsLanguages()[0]?.replace('*', 'en') ?? 'en');
  const rendered = renderPageMessage(language, known.status === 404 ? 'notFound' : 'unavailable');
  ctx.state.code = known.code;
  ctx.set(known.headers);
  setPolicy(ctx, rendered);
  ctx.status = known.status;
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = rendered.html;
}
