import { once } from 'node:events';
import type { Server } from 'node:net';
import { ConfigurationError } from '../../../config/ConfigurationError';

/** An address of this machine, and the variables by which it is configured. */
export interface ListenAddress {
  host: string;
  port: number;
  variables: { host: string; port: string };
  /** Connections that wait to be accepted. Absent: the default of Node.js. */
  backlog?: number;
}

/**
 * Listens on an address; resolves when it does.
 * @throws {ConfigurationError} when it is taken, or is none of this machine.
 */
export async function listen(server: Server, { host, port, variables, backlog }: ListenAddress): Promise<void> {
  server.listen({ host, port, ...(backlog !== undefined && { backlog }) });
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'is used by another program or process' : `cannot be used (${code ?? message})`;
    throw new ConfigurationError([
      `${variables.port}=${port} of ${variables.host}=${host} ${why}; each process of a machine needs ports of its own`,
    ]);
  }
}
