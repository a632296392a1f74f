import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import { ownPagesOnly } from '../ownPagesOnly';
import { serveOnLoopback } from '../servers/listenOnLoopback';
import { FolderStore } from './FolderStore';
import { httpRoutes } from './httpRoutes';
import { MemoryStore, type MessageStore } from './MemoryStore';
import { ParsedMessages } from './ParsedMessages';
import { SmtpFaults } from './SmtpFaults';
import { smtpSide } from './smtpSide';

export interface MailCatcherOptions {
  /** 0 or absent: any free one. */
  smtpPort?: number;
  httpPort?: number;
  /** Keeps the messages over restarts; null or absent: in memory alone. */
  folder?: string | null;
  /** 5,000 when absent. */
  maxMessages?: number;
  /** Of one message; 50 MiB when absent. */
  maxMessageBytes?: number;
}

export interface MailCatcher {
  readonly smtpPort: number;
  readonly httpPort: number;
  /** For the mail transport. */
  readonly smtpUrl: string;
  /** Of the web inbox, without a trailing slash. */
  readonly url: string;
  readonly store: MessageStore;
  readonly messages: ParsedMessages;
  readonly faults: SmtpFaults;
  /** Closes open connections, and waits until everything is on disk. */
  close(): Promise<void>;
}

const defaultMaxMessages = 5000;
const defaultMaxMessageBytes = 50 * 1024 * 1024;

/** Starts an SMTP server on the loopback interface that delivers nothing, and an inbox of the received messages. */
export async function startMailCatcher(options: MailCatcherOptions = {}): Promise<MailCatcher> {
  const max = options.maxMessages ?? defaultMaxMessages;
  const store = options.folder ? new FolderStore(options.folder, max) : new MemoryStore(max);
  const messages = new ParsedMessages(store);
  const faults = new SmtpFaults();

  const smtp = smtpSide(store, faults, options.maxMessageBytes ?? defaultMaxMessageBytes);
  const smtpServer = smtp.listen(options.smtpPort ?? 0, '127.0.0.1');
  await once(smtpServer, 'listening');

  const app = new Koa();
  app.use(ownPagesOnly());
  app.use(koaBody({ json: true, urlencoded: false, text: false }));
  app.use(httpRoutes(store, messages, faults).routes());
  const http = await serveOnLoopback(app, options.httpPort);
  const smtpPort = (smtpServer.address() as AddressInfo).port;
  return {
    smtpPort,
    httpPort: http.port,
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    url: http.url,
    store,
    messages,
    faults,
    close: async () => {
      for (const connection of smtp.connections) connection._socket.destroy();
      await Promise.all([new Promise<void>((resolve) => smtp.close(resolve)), http.close()]);
      await store.close();
    },
  };
}
