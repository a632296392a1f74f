import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { loadConfigFor } from '../config/env';
import { createLogger } from '../shared/log';
import { onShutdown, runEntry, tellReady } from '../shared/process';
import { openServices } from '../shared/services';
import { jobQueueNames } from '../config/queues';
import { createApp } from './app';
import { createHttpServer } from './httpServer';
import { removeAbandonedUploads } from './routing/abandonedUploads';

runEntry(async () => {
  const config = loadConfigFor('api');
  const log = createLogger(config.logLevel, 'api');
  const services = openServices({ config, log, listenTo: jobQueueNames });
  await services.storeCheck.guard();
  const server = createHttpServer(createApp(services));
  // Longer than the idle time of the proxies in front of it, so that none sends into a connection that is being closed.
  server.keepAliveTimeout = 75_000;
  server.listen(config.port, config.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  log.info({ host: config.host, port }, 'the API listens');
  if (config.gateway.xenditCallbackToken === '') {
    log.warn('XENDIT_CALLBACK_TOKEN is empty: every callback of the gateway is refused');
  }
  tellReady({ port });
  await removeAbandonedUploads().catch((error: unknown) =>
    log.warn({ err: error }, 'old uploads could not be removed'),
  );

  onShutdown(log, config.shutdownTimeoutMs, async () => {
    const closed = once(server, 'close');
    server.close();
    // A connection that is kept alive becomes idle when its request has been answered, and is then closed as well.
    const closing = setInterval(() => server.closeIdleConnections(), 100);
    await closed;
    clearInterval(closing);
    await services.close();
  });
});
