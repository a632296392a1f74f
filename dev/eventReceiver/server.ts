import Koa from 'koa';
import { ownPagesOnly } from '../ownPagesOnly';
import { serveOnLoopback } from '../servers/listenOnLoopback';
import { eventsPath } from './eventsPath';
import { httpRoutes } from './httpRoutes';
import { ReceivedEvents } from './ReceivedEvents';
import { receiveEvent } from './receiveEvent';
import { ReceiverFaults } from './ReceiverFaults';
import { Verifier } from './Verifier';

export interface EventReceiverOptions {
  /** 0 or absent: any free one. */
  port?: number;
  /** Secrets of the endpoints whose signatures are accepted. */
  secrets?: readonly string[];
}

export interface EventReceiver {
  readonly port: number;
  /** Of the page, without a trailing slash. */
  readonly url: string;
  /** For a webhook endpoint. */
  readonly endpointUrl: string;
  readonly events: ReceivedEvents;
  readonly faults: ReceiverFaults;
  /** Cuts open connections. */
  close(): Promise<void>;
}

/** Starts a receiver of webhooks on the loopback interface, with a page that shows the received events. */
export async function startEventReceiver({
  port = 0,
  secrets = [],
}: EventReceiverOptions = {}): Promise<EventReceiver> {
  const events = new ReceivedEvents();
  const faults = new ReceiverFaults();
  const verifier = new Verifier(secrets);
  const app = new Koa();
  app.use(ownPagesOnly());
  app.use(async (ctx, next) => {
    const isEvent = ctx.path === eventsPath || ctx.path.startsWith(`${eventsPath}/`);
    await (ctx.method === 'POST' && isEvent ? receiveEvent(ctx, { events, faults, verifier }) : next());
  });
  app.use(httpRoutes(events, faults, verifier).routes());
  const listening = await serveOnLoopback(app, port);
  return { ...listening, endpointUrl: `${listening.url}${eventsPath}`, events, faults };
}
