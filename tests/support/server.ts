import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import supertest from 'supertest';
import { createApp, type AppOptions } from '../../api/http/app';
import { createHttpServer } from '../../api/http/connections/httpServer';
import { InvoicingClient } from '../../clients/typescript/src';
import type { Services } from '../../shared/services';
import { atEnd, openTestServices, type InstallationOptions } from './installation';

export type Caller = ReturnType<typeof supertest.agent>;

/** The real API on a free port, over the test file's own database, Redis prefix and files. */
export interface TestApi {
  url: string;
  server: Server;
  services: Services;
  /** Sends requests with this bearer token: `api.as(token).get('/api/invoices').expect(200)`; without one when absent. */
  as(token?: string): Caller;
  /** The client that callers use, for what is not about HTTP. */
  client(token: string): InvoicingClient;
  /** Stops listening; happens by itself after the file's last test. The services stay open until then. */
  close(): Promise<void>;
}

/** Starts an API. Several of one test file share everything behind it, as the API processes of an installation do. */
export async function startApi(options: InstallationOptions & AppOptions = {}): Promise<TestApi> {
  const services = await openTestServices(options);
  const { server } = createHttpServer(createApp(services, options), services.config.limits);
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  atEnd(close);
  return {
    url,
    server,
    services,
    as: (token) => {
      const caller = supertest.agent(url);
      return token === undefined ? caller : caller.auth(token, { type: 'bearer' });
    },
    client: (apiKey) => new InvoicingClient({ baseUrl: url, apiKey }),
    close,
  };
}
