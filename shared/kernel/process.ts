import type { Logger } from './log';

/**
 * Ends a process in order: `close` is called once on SIGTERM, SIGINT, or when the parent that started it with a channel is
 * gone; whatever has not ended `deadlineMs` later is cut off. With a channel SIGINT is the parent's business: Ctrl-C reaches
 * the whole group.
 */
export function onShutdown(log: Logger, deadlineMs: number, close: () => Promise<void>): void {
  let closing = false;
  const shutDown = (reason: string): void => {
    if (closing) return;
    closing = true;
    log.info({ reason }, 'shutting down');
    setTimeout(() => {
      log.error({ deadlineMs }, 'not closed in time');
      process.exit(1);
    }, deadlineMs).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'closing failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => shutDown('SIGTERM'));
  process.on('SIGINT', () => {
    if (process.send === undefined) shutDown('SIGINT');
  });
  process.on('disconnect', () => shutDown('the parent process is gone'));
}

/** Tells a parent process that this one serves; nothing where there is none. */
export function tellReady(details: object = {}): void {
  process.send?.({ ready: true, ...details });
}

/** Runs a process entry: what it throws is shown as it is (a configuration error teaches) and ends the process. */
export function runEntry(start: () => Promise<void>): void {
  start().catch((error: unknown) => {
    console.error(error instanceof Error && error.name === 'ConfigurationError' ? error.message : error);
    process.exit(1);
  });
}
