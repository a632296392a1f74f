import type { Duplex } from 'node:stream';
import { Redis, SentinelConnector, type RedisOptions } from 'ioredis';
import type { RedisHost } from '../../../config/redisUrl';

/**
 * Closes the connections to a primary as soon as a Sentinel names another, so that they connect to that one. A primary behind a cut network
 * cannot close them itself; when the network is back it serves them, until the Sentinels make it a replica, and what it is told is lost.
 * Shared by all connections of a process.
 */
export class PrimaryWatch {
  /** The option `Connector` of each connection to the primary. */
  readonly Connector: NonNullable<RedisOptions['Connector']>;
  private readonly sentinels: readonly Redis[];
  private latest = '';

  /**
   * Connects to the Sentinels, again and again where one is unreachable.
   * @param options of a connection to one of them
   * @param failed learns of each failure to connect to one, or to be told by it
   */
  constructor(
    hosts: readonly RedisHost[],
    name: string,
    options: RedisOptions,
    failed: (host: RedisHost, error: Error) => void,
  ) {
    const streams = new Set<Duplex>();
    this.Connector = connectorOf(streams);
    this.sentinels = hosts.map((host) => {
      const sentinel = new Redis({ ...options, ...host, maxRetriesPerRequest: null, enableReadyCheck: false });
      sentinel.on('error', (error) => failed(host, error));
      sentinel.on('message', (_channel: string, message: string) => {
        // "name, host and port before, host and port now". Each Sentinel says so.
        if (!message.startsWith(`${name} `) || message === this.latest) return;
        this.latest = message;
        for (const stream of streams) stream.destroy(new Error('the Sentinels name another primary'));
      });
      sentinel.subscribe('+switch-master').catch((error: Error) => failed(host, error));
      return sentinel;
    });
  }

  close(): void {
    this.sentinels.forEach((sentinel) => sentinel.disconnect());
  }
}

/** A connector to the primary that keeps its open connections in `streams`. */
function connectorOf(streams: Set<Duplex>): NonNullable<RedisOptions['Connector']> {
  return class extends SentinelConnector {
    override async connect(report: Parameters<SentinelConnector['connect']>[0]) {
      const stream = await super.connect(report);
      streams.add(stream);
      stream.once('close', () => streams.delete(stream));
      return stream;
    }
  } as NonNullable<RedisOptions['Connector']>;
}
