import Koa from 'koa';
import { koaBody } from 'koa-body';
import { ownPagesOnly } from '../ownPagesOnly';
import { serveOnLoopback } from '../servers/listenOnLoopback';
import { callbackOf } from './callbackOf';
import { CallbackSender } from './CallbackSender';
import { controlRoutes } from './controlRoutes';
import { Faults } from './Faults';
import { LinkStore } from './LinkStore';
import { payRoutes } from './payRoutes';
import { providerRoutes } from './providerRoutes';
import { stripeRoutes } from './stripeRoutes';

export interface SandboxGatewayOptions {
  /** 0 or absent: any free one. */
  port?: number;
  /** The callers' credential: the user of Basic authentication to Xendit, the bearer token to Stripe. */
  secretKey: string;
  /** Xendit's callback token, and Stripe's signing secret. */
  callbackToken: string;
  /** The address of callbacks, without the provider's name at the end; null or absent for none. */
  callbackUrl?: string | null;
  /** Keeps the links over restarts; null or absent: in memory alone. */
  dataFile?: string | null;
  /** The base of payment pages' addresses; the server's own when absent. */
  publicUrl?: string | null;
  /** Delays between the attempts of a callback, in milliseconds. */
  callbackRetryDelaysMs?: readonly number[];
}

export interface SandboxGateway {
  /** For the adapter's base URL, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly faults: Faults;
  readonly links: LinkStore;
  /** Changes the address of callbacks, for a receiver that was started later. */
  setCallbackUrl(url: string | null): void;
  /** Closes open connections, and waits until everything is on disk. */
  close(): Promise<void>;
}

const retryDelaysMs = [250, 1000, 3000, 10_000, 30_000];

/** Starts the local stand-in for both payment providers on the loopback interface. */
export async function startSandboxGateway(options: SandboxGatewayOptions): Promise<SandboxGateway> {
  const links = new LinkStore(options.dataFile ?? null);
  const faults = new Faults();
  let callbackUrl = options.callbackUrl ?? null;
  const delays = options.callbackRetryDelaysMs ?? retryDelaysMs;
  const callbacks = new CallbackSender(
    () => callbackUrl,
    (link, news) => callbackOf(link, news, options.callbackToken),
    delays,
  );
  let url = '';
  const publicUrl = () => options.publicUrl ?? url;

  const app = new Koa();
  app.use(koaBody({ json: true, urlencoded: true, text: false, onError: refuseBody }));
  app.use(providerRoutes(links, faults, options.secretKey, publicUrl).routes());
  app.use(stripeRoutes(links, faults, options.secretKey, publicUrl).routes());
  // The routes above are for servers, which send the secret key.
  app.use(ownPagesOnly(options.publicUrl ?? null));
  const pay = payRoutes(links, (link, news) => {
    if (faults.callbacks) callbacks.send(link, news).catch((error: unknown) => app.emit('error', error));
  });
  app.use(pay.routes());
  app.use(controlRoutes(links, faults, callbacks).routes());

  const listening = await serveOnLoopback(app, options.port);
  ({ url } = listening);
  return {
    ...listening,
    faults,
    links,
    setCallbackUrl: (next) => {
      callbackUrl = next;
    },
    close: async () => {
      callbacks.close();
      await listening.close();
      await links.flush();
    },
  };
}

function refuseBody(error: Error, ctx: Koa.Context): void {
  ctx.throw(400, `The body cannot be read: ${error.message}`);
}
