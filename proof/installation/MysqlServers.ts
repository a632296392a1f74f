import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { freePort } from '../../dev/servers/freePort';
import { startPrivateMysql } from '../../dev/servers/privateMysql';
import { DataServer } from './DataServer';
import { untilTrue } from './untilTrue';

/** Everything here is on loopback and thrown away. */
const password = 'loopback';
const database = 'invoicing';
/** For the service. */
const account = 'service';

/** A MariaDB server that keeps its port. */
export class MysqlNode extends DataServer {
  private constructor(
    readonly port: number,
    start: ConstructorParameters<typeof DataServer>[0],
  ) {
    super(start);
  }

  static async open(dataDir: string, args: readonly string[], log: (line: string) => void): Promise<MysqlNode> {
    const port = await freePort();
    mkdirSync(dataDir, { recursive: true });
    const node = new MysqlNode(port, () => startPrivateMysql({ dataDir, durable: true, log, args, password, port }));
    await node.start();
    return node;
  }

  /** Returns the DATABASE_URL of the service; of a proxy to the server, if its URL is given. */
  databaseUrl(through = this.url): string {
    const url = new URL(`/${database}`, through);
    url.username = account;
    url.password = password;
    return url.href;
  }

  /** Runs statements as the administrator. Returns the rows of the last one. @throws what the server responds with. */
  async ask(...statements: readonly string[]): Promise<RowDataPacket[]> {
    const connection = await createConnection({ uri: this.url, connectTimeout: 3_000 });
    try {
      let rows: RowDataPacket[] = [];
      for (const statement of statements)
        [rows] = await connection.query<RowDataPacket[]>({ sql: statement, timeout: 3_000 });
      return rows;
    } finally {
      connection.destroy();
    }
  }
}

/** A primary and a replica that follows it. */
export interface Replication {
  readonly primary: MysqlNode;
  readonly replica: MysqlNode;
  /** Lets the replica take over from the living primary, which becomes read-only. Nothing is lost. */
  handOver(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a primary with a replica, both empty. */
export async function startReplication(dataDir: string, log: (line: string) => void): Promise<Replication> {
  const open = (name: string, id: number): Promise<MysqlNode> => {
    const args = [
      `--server-id=${id}`,
      '--log-bin=binlog',
      '--log-slave-updates=ON',
      '--gtid-strict-mode=ON',
      '--sync-binlog=1',
    ];
    return MysqlNode.open(join(dataDir, name), args, log);
  };
  const [primary, replica] = await Promise.all([open('primary', 1), open('replica', 2)]);
  await replica.ask('SET GLOBAL read_only = ON', ...follow(primary));
  await untilTrue('the replica follows', () => isInStep(replica));
  // The administrator may write where others may not.
  await primary.ask(
    `CREATE USER '${account}'@'%' IDENTIFIED BY '${password}'`,
    `GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX, REFERENCES ON \`${database}\`.* TO '${account}'@'%'`,
  );
  const handOver = async (): Promise<void> => {
    const [row] = await primary.ask('SET GLOBAL read_only = ON', 'SELECT @@gtid_binlog_pos AS position');
    await replica.ask(`SELECT MASTER_GTID_WAIT('${String(row?.['position'])}', 2)`, 'STOP SLAVE', 'RESET SLAVE ALL');
    await replica.ask('SET GLOBAL read_only = OFF');
  };
  return { primary, replica, handOver, stop: async () => void (await Promise.all([replica.stop(), primary.stop()])) };
}

/** The statements that make a server follow another. */
function follow({ port }: MysqlNode): string[] {
  return [
    `CHANGE MASTER TO master_host = '127.0.0.1', master_port = ${port}, master_user = 'invoicing', master_password = '${password}',
      master_use_gtid = slave_pos, master_connect_retry = 1`,
    'START SLAVE',
  ];
}

async function isInStep(replica: MysqlNode): Promise<boolean> {
  const [status] = await replica.ask('SHOW SLAVE STATUS');
  return status?.['Slave_IO_Running'] === 'Yes' && status['Slave_SQL_Running'] === 'Yes';
}
