import { createServer } from 'node:net';

/** The error code of listening on `host:port` (for example EADDRINUSE, EACCES), or the port that was bound. */
function tryPort(port: number, host: string): Promise<number | string> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}

/** A TCP port of the loopback interface that nobody listens on now. Another may take it before the caller does. */
export async function freePort(): Promise<number> {
  const port = await tryPort(0, '127.0.0.1');
  if (typeof port === 'string') throw new Error(`no port of 127.0.0.1 can be bound: ${port}`);
  return port;
}

/** Why `host:port` cannot be listened on (`EADDRINUSE`, `EACCES`, …); undefined when it can. */
export async function whyPortIsTaken(port: number, host: string): Promise<string | undefined> {
  const outcome = await tryPort(port, host);
  return typeof outcome === 'string' ? outcome : undefined;
}
