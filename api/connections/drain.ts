import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Connections } from './Connections';

/** A connection that is kept alive and silent for this long is closed. */
const SILENT_MS = 2_000;
/** No new connection for this long: all clients wait for a response, and none is about to connect. */
const QUIET_MS = 100;
const MAX_QUIET_WAIT_MS = 1_000;
const LOOK_EVERY_MS = 20;

/**
 * Stops a server without resetting a request that was sent. Every connection learns from a response that it is the last one;
 * the listener is open until then (at most `maxMs`), for clients that connect anew. Resolves when all connections are closed.
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
 * Closing a listener resets connections that the kernel has and the process has not accepted. So responses wait until no
 * client connects any more.
 */
async function stopListening(server: Server, connections: Connections): Promise<void> {
  let release = (): void => undefined;
  connections.hold(new Promise((resolve) => (release = resolve)));
  const since = Date.now();
  await until(MAX_QUIET_WAIT_MS, () => Date.now() - Math.max(since, connections.lastOpenedAt) >= QUIET_MS);
  // Right after connections were accepted.
  await setImmediate();
  // The one of HTTP servers would also reset idle connections, on which a request may just have arrived.
  NetServer.prototype.close.call(server);
  release();
}

async function until(maxMs: number, isTrue: () => boolean): Promise<void> {
  for (const deadline = Date.now() + maxMs; !isTrue() && Date.now() < deadline;) await sleep(LOOK_EVERY_MS);
}
