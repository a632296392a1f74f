import { join } from 'node:path';
import { freePort } from '../../dev/servers/freePort';
import { startPrivateHaproxy, type PrivateHaproxy } from '../../dev/servers/privateHaproxy';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import type { MysqlNode } from './MysqlServers';

/** HAProxy with `ops/haproxy-mysql.cfg`, in front of two or three servers. */
export class MysqlProxy {
  private constructor(
    private readonly nodes: readonly MysqlNode[],
    private readonly haproxy: PrivateHaproxy,
    private readonly replicaPort: number,
  ) {}

  static async start(dataDir: string, nodes: readonly MysqlNode[]): Promise<MysqlProxy> {
    const [writerPort, replicaPort] = [await freePort(), await freePort()];
    const url = new URL(nodes[0]?.url ?? '');
    url.port = String(writerPort);
    const haproxy = await startPrivateHaproxy({
      file: 'haproxy-mysql.cfg',
      dataDir: join(dataDir, 'haproxy'),
      replaced: [
        ['127.0.0.1:3306', `127.0.0.1:${writerPort}`],
        ['127.0.0.1:3307', `127.0.0.1:${replicaPort}`],
        ...['a', 'b', 'c'].map((name, index): [string, string] => {
          const node = nodes[index];
          const line = `    server ${name} 10.0.0.${index + 1}:3306`;
          return node === undefined ? [`${line} backup\n`, ''] : [line, `    server ${name} 127.0.0.1:${node.port}`];
        }),
      ],
      url: url.href,
      isReady: (servers) => servers.some(({ section, state }) => section === 'mysql-writer' && state === 'UP'),
    });
    return new MysqlProxy(nodes, haproxy, replicaPort);
  }

  /** For DATABASE_URL. */
  get url(): string {
    return this.nodes[0]?.databaseUrl(this.haproxy.url) ?? '';
  }

  /** For DATABASE_READ_URL. */
  get replicaUrl(): string {
    const url = new URL(this.url);
    url.port = String(this.replicaPort);
    return url.href;
  }

  /** Returns the server of a new connection; undefined while there is none. */
  async writer(): Promise<MysqlNode | undefined> {
    const connection = await createConnection({ uri: this.haproxy.url, connectTimeout: 3_000 });
    try {
      const [[row]] = await connection.query<RowDataPacket[]>({ sql: 'SELECT @@port AS port', timeout: 3_000 });
      return this.nodes.find(({ port }) => port === row?.['port']);
    } finally {
      connection.destroy();
    }
  }

  stop(): Promise<void> {
    return this.haproxy.stop();
  }
}
