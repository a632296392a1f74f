import type { Logger } from '../log';

/**
 * Ends a process in order: `close` is called once on SIGTERM, SIGINT, or when the parent that started it with a channel is gone; after
 * `deadlineMs` the process exits in any case. With a channel SIGINT is left to the parent: Ctrl-C reaches the whole group.
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

/** Logs an error that nothing has caught, and ends the process. Node.js itself would print all fields of the error. */
export function logCrash(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'the process has crashed');
    process.exit(1);
  });
}

/** Reports to the parent process, if there is one, that this process is ready. */
export function tellReady(details: object = {}): void {
  process.send?.({ ready: true, ...details });
}

/** Runs a process entry. An error is printed (a configuration error without its stack) and ends the process. */
export function runEntry(start: () => Promise<void>): void {
  start().catch((error: unknown) => {
    console.error(error instanceof Error ? textOf(error) : error);
    process.exit(1);
  });
}

/** The stack of an error and of its causes. Its other fields may hold secrets. */
function textOf(error: Error): string {
  if (error.name === 'ConfigurationError') return error.message;
  const text = error.stack ?? String(error);
  return error.cause instanceof Error ? `${text}\ncaused by ${textOf(error.cause)}` : text;
}
