import { loadConfigFor } from '../config/env';
import { renderQueueNames } from '../config/queues';
import { checkSchema } from '../shared/engine/migrations';
import { createLogger } from '../shared/engine/log';
import { goAfterOthers, logCrash, onShutdown, runEntry, tellReady } from '../shared/engine/process';
import { guardRedis } from '../shared/engine/redis';
import { startTracing, stopTracing } from '../shared/engine/trace';
import { openServices } from '../shared/openServices';
import { openOperatorPort } from '../operator';
import { serveHealth } from './jobs/health';
import { Sequencer } from './events/Sequencer';
import { createPdfRenderer } from './pdf/PdfRenderer';
import { startSchedules } from './schedules/schedules';
import { Presence } from './jobs/Presence';
import { WorkerPool } from './jobs/WorkerPool';
import { servedQueues } from './servedQueues';
import { WorkerTools } from './jobs/WorkerTools';
import { EndpointWaker } from './webhooks/EndpointWaker';

/** Where a worker shares processors with an API and MySQL, it gets two thirds of what each of those gets: people wait for them. */
const NICE = 2;

runEntry(async () => {
  goAfterOthers(NICE);
  const config = loadConfigFor('worker');
  const log = createLogger(config.logLevel, 'worker', config);
  logCrash(log);
  await startTracing(config, 'worker', log);
  const { queues, concurrency, healthPort } = config.worker;
  // The e-mail job waits for the PDF that it attaches.
  const services = openServices({ config, log, listenTo: renderQueueNames });
  const { storeCheck, queues: jobQueues } = services;
  await Promise.all([guardRedis(config.redisUrl, log), storeCheck.guard()]);
  const operatorPort = await openOperatorPort(services);
  const tools = new WorkerTools(services);
  const { path: chromePath, allowNoSandbox } = config.chrome;
  const renderer = queues.includes('pdf')
    ? createPdfRenderer(
        { chromePath, allowNoSandbox, environment: config.environment, concurrency: concurrency.pdf },
        log,
      )
    : null;
  await renderer?.warm();
  const pool = new WorkerPool(services, servedQueues(tools, renderer), { waits: true });
  const presence = new Presence(services, pool);
  const stopSchedules = startSchedules(services);
  const waker = new EndpointWaker(services);
  const sequencer = new Sequencer(services, (numbered) => void waker.numbered(numbered));
  const health =
    healthPort > 0
      ? await serveHealth(
          healthPort,
          config.host,
          () =>
            Promise.all([checkSchema(services.sql), storeCheck.ensure(), jobQueues.check()]).then(() => pool.isRunning),
          services.databaseClock,
        )
      : null;
  await pool.waitUntilReady();
  presence.start();
  sequencer.start();
  log.info({ queues }, 'the worker takes jobs');
  onShutdown(log, config.shutdownTimeoutMs, async () => {
    await Promise.all([pool.drain(config.shutdownTimeoutMs * 0.8), stopSchedules(), sequencer.stop()]);
    health?.close();
    await presence.stop();
    await Promise.allSettled([renderer?.close(), tools.close(), operatorPort.close(), services.close(), stopTracing()]);
  });
  // From here on the process may be told to stop.
  tellReady();
});
