import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Connections } from './Connections';

/** An idle kept-alive connection is closed after this long. */
const SILENT_MS = 2_000;
/** After this long without a new connection, no client is assumed to be connecting. */
const QUIET_MS = 250;
const MAX_QUIET_WAIT_MS = 1_000;
const LOOK_EVERY_MS = 20;

/**
 * Stops a server without resetting a request that was sent. Every connection gets a last response with `Connection: close`. The
 * listener stays open until then (at most `maxMs`), for clients that reconnect. Resolves when all connections are closed.
 */
export async function drain(server: Server, connections: Connections, maxMs: number): Promise<void> {
  connections.announceEnd();
  const untold = connections.all;
  await until(maxMs, () => {
    connections.endSilent(SILENT_MS);
    return !untold.some((socket) => connections.isOpen(socket));
  });
  await stopListening(server, connections);
  await until(Infinity, () => {
    connections.endSilent(SILENT_MS);
    return connections.all.length === 0;
  });
}

/**
 * Closes the listener. That resets connections which the kernel has accepted and the process has not, so responses are held back
 * until no client connects any more.
 */
async function stopListening(server: Server, connections: Connections): Promise<void> {
  let release = (): void => undefined;
  connections.hold(new Promise((resolve) => (release = resolve)));
  const since = Date.now();
  await until(MAX_QUIET_WAIT_MS, () => Date.now() - Math.max(since, connections.lastOpenedAt) >= QUIET_MS);
  // Immediately after connections were accepted.
  await setImmediate();
  // The `close` of an HTTP server would also reset idle connections, on which a request may just have arrived.
  NetServer.prototype.close.call(server);
  release();
}

async function until(maxMs: number, isTrue: () => boolean): Promise<void> {
  for (const deadline = Date.now() + maxMs; !isTrue() && Date.now() < deadline;) await sleep(LOOK_EVERY_MS);
}
