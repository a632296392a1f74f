import { join } from 'node:path';
import { startPrivateHaproxy, type PrivateHaproxy } from '../../../dev/servers/privateHaproxy';
import { freePort } from '../../../dev/servers/freePort';
import { GaleraServers } from '../../installation/GaleraServers';
import { RedisNode } from '../../installation/RedisServers';
import type { Servers } from '../Engine';

/** Servers that grow while the service runs. */
export class GrowingServers implements Servers {
  private readonly added: Pick<Servers, 'stop'>[] = [];

  private constructor(
    readonly dataDir: string,
    readonly log: (line: string) => void,
    /** One server without Galera at first. */
    readonly mysql: GaleraServers,
    /** The only one at first. */
    readonly redis: RedisNode,
  ) {}

  static async start(dataDir: string, log: (line: string) => void): Promise<GrowingServers> {
    const mysql = await GaleraServers.startOne(dataDir, log);
    return new GrowingServers(dataDir, log, mysql, await RedisNode.open(join(dataDir, 'redis-only'), [], log));
  }

  /** Stops these servers at the end as well. */
  add<S extends Pick<Servers, 'stop'>>(servers: S): S {
    this.added.push(servers);
    return servers;
  }

  /** Starts HAProxy with `ops/haproxy.cfg`, without TLS, in front of two APIs of which one runs. */
  async startApiProxy(urls: readonly string[]): Promise<PrivateHaproxy> {
    const port = await freePort();
    const proxy = await startPrivateHaproxy({
      file: 'haproxy.cfg',
      dataDir: join(this.dataDir, 'haproxy-api'),
      replaced: [
        ['    bind :80\n', ''],
        ['bind :443 ssl crt /etc/haproxy/certs/ alpn h2,http/1.1', `bind 127.0.0.1:${port}`],
        ['    http-request redirect scheme https code 308 unless { ssl_fc }\n', ''],
        ...urls.map((url, index): [string, string] => [`127.0.0.1:300${index + 1}\n`, `${new URL(url).host}\n`]),
      ],
      url: `http://127.0.0.1:${port}`,
      isReady: (servers) => servers.some(({ state }) => state === 'UP'),
    });
    return this.add(proxy);
  }

  isWhole(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async stop(): Promise<void> {
    for (const servers of this.added.reverse()) await servers.stop();
    await Promise.all([this.mysql.stop(), this.redis.stop()]);
  }
}
