import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { loadConfigFor } from '../config/env';
import { paymentProviders } from '../config/paymentProviders';
import { createLogger } from '../shared/engine/log';
import { listen, logCrash, onShutdown, runEntry, tellReady } from '../shared/engine/process';
import { guardRedis } from '../shared/engine/redis';
import { startTracing, stopTracing } from '../shared/engine/trace';
import { openServices } from '../shared/openServices';
import { openOperatorPort } from '../operator';
import { endingQueueNames } from '../config/queues';
import { createApp } from './http/app';
import { createHttpServer } from './http/connections/httpServer';
import { withinOpenFiles } from './http/connections/withinOpenFiles';
import { removeAbandonedUploads } from './http/routing/abandonedUploads';

/** Connections that the kernel holds until the process accepts them; `net.core.somaxconn` limits them too. */
const BACKLOG = 4_096;

runEntry(async () => {
  const config = loadConfigFor('api');
  const log = createLogger(config.logLevel, 'api', config);
  logCrash(log);
  await startTracing(config, 'api', log);
  const services = openServices({ config, log, listenTo: endingQueueNames });
  await Promise.all([guardRedis(config.redisUrl, log), services.storeCheck.guard()]);
  const operatorPort = await openOperatorPort(services);
  const stopping = new AbortController();
  const systemLimits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const connections = withinOpenFiles(config.limits.connections, systemLimits);
  if (connections < config.limits.connections) {
    log.warn({ connections }, 'fewer connections than MAX_CONNECTIONS: raise the limit of open files (ulimit -n)');
  }
  const limits = { ...config.limits, connections };
  const { server, drain } = createHttpServer(createApp(services, { stopping: stopping.signal }), limits);
  const { host } = config;
  await listen(server, { host, port: config.port, variables: { host: 'HOST', port: 'PORT' }, backlog: BACKLOG });
  const { port } = server.address() as AddressInfo;
  log.info({ host, port }, 'the API is listening');
  const { provider, providers } = config.gateway;
  if (providers[provider].callbackSecret === '') {
    log.warn(`${paymentProviders[provider].callbackSecret.name} is empty: every callback of the gateway is refused`);
  }
  onShutdown(log, config.shutdownTimeoutMs, async () => {
    stopping.abort();
    // The rest of the time is for the responses to requests that were waiting.
    await drain(config.shutdownTimeoutMs * 0.6);
    await operatorPort.close();
    await Promise.all([services.close(), stopTracing()]);
  });
  // Called after onShutdown, because the parent may send SIGTERM as soon as the process is ready. Old uploads are removed later, because
  // that takes time.
  tellReady({ port });
  await removeAbandonedUploads().catch((error: unknown) =>
    log.warn({ err: error }, 'old uploads could not be removed'),
  );
});
