import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { freePort } from '../../dev/servers/freePort';
import { startPrivateMysql } from '../../dev/servers/privateMysql';
import { DataServer } from '../../dev/installation/DataServer';
import { untilTrue } from './waiting';

/** The password of temporary servers on loopback. */
export const password = 'loopback';
const database = 'invoicing';
/** The account of the service. */
const account = 'service';

/** A MariaDB server that keeps its port. */
export class MysqlNode extends DataServer {
  /** `argsOf` returns the arguments of each start. */
  static async open(dataDir: string, argsOf: () => readonly string[], log: (line: string) => void): Promise<MysqlNode> {
    const port = await freePort();
    const node = new MysqlNode(() =>
      startPrivateMysql({ dataDir, durable: true, log, args: argsOf(), password, port }),
    );
    await node.start();
    return node;
  }

  /** Returns the DATABASE_URL of the service, through the proxy with this URL if given. */
  databaseUrl(through = this.url): string {
    const url = new URL(`/${database}`, through);
    url.username = account;
    url.password = password;
    return url.href;
  }

  /** Tests whether the service is connected to it. */
  async isUsed(): Promise<boolean> {
    const sessions = await this.ask(`SELECT id FROM information_schema.processlist WHERE user = '${account}'`);
    return sessions.length > 0;
  }

  /**
   * Runs statements as the administrator. Returns the rows of the last one. @throws {Error} of the server or the
   * connection.
   */
  async ask(...statements: readonly string[]): Promise<RowDataPacket[]> {
    const connection = await createConnection({ uri: this.url, connectTimeout: 3_000 });
    try {
      let rows: RowDataPacket[] = [];
      for (const statement of statements)
        [rows] = await connection.query<RowDataPacket[]>({ sql: statement, timeout: 10_000 });
      return rows;
    } finally {
      connection.destroy();
    }
  }
}

/** The statements that create the accounts of the service and of HAProxy's checks. */
export const accounts: readonly string[] = [
  `CREATE USER '${account}'@'%' IDENTIFIED BY '${password}'`,
  `GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX, REFERENCES ON \`${database}\`.* TO '${account}'@'%'`,
  "CREATE USER 'haproxy'@'%'",
];

/**
 * A primary and a replica that follows it. A commit waits up to 3 seconds for the replica. A server starts read-only.
 */
export class Replication {
  private constructor(private roles: { readonly primary: MysqlNode; readonly replica: MysqlNode }) {}

  get primary(): MysqlNode {
    return this.roles.primary;
  }

  get replica(): MysqlNode {
    return this.roles.replica;
  }

  /** Starts both, empty. */
  static async start(dataDir: string, log: (line: string) => void): Promise<Replication> {
    const open = (name: string, id: number): Promise<MysqlNode> => {
      const args = [
        `--server-id=${id}`,
        '--log-bin=binlog',
        '--log-slave-updates=ON',
        '--gtid-strict-mode=ON',
        '--sync-binlog=1',
        '--read-only=ON',
        '--rpl-semi-sync-master-enabled=ON',
        '--rpl-semi-sync-slave-enabled=ON',
        '--rpl-semi-sync-master-wait-point=AFTER_SYNC',
        // Commits wait this long for a killed replica, whose end the primary does not notice.
        '--rpl-semi-sync-master-timeout=3000',
        // A server that has just become the primary has no replica yet.
        '--rpl-semi-sync-master-wait-no-slave=OFF',
        // A primary that was killed drops what the replica has not confirmed.
        '--init-rpl-role=SLAVE',
      ];
      return MysqlNode.open(join(dataDir, name), () => args, log);
    };
    const [primary, replica] = await Promise.all([open('mysql-a', 1), open('mysql-b', 2)]);
    const servers = new Replication({ primary, replica });
    await servers.follow();
    // The administrator may write where others may not.
    await primary.ask(...accounts, 'SET GLOBAL read_only = OFF');
    return servers;
  }

  /** Makes the primary read-only and promotes the replica, without a loss. */
  async handOver(): Promise<void> {
    const [row] = await this.primary.ask('SET GLOBAL read_only = ON', 'SELECT @@gtid_binlog_pos AS position');
    await this.promote(String(row?.['position']));
  }

  /** Promotes the replica of a primary that has ended, after it has applied all that it received. */
  async failOver(): Promise<void> {
    const [status] = await this.replica.ask('STOP SLAVE IO_THREAD', 'SHOW SLAVE STATUS');
    await this.promote(String(status?.['Gtid_IO_Pos']));
  }

  /** Makes the other server follow the primary. Both must run. */
  async follow(): Promise<void> {
    const { primary, replica } = this;
    await replica.ask(
      `CHANGE MASTER TO master_host = '127.0.0.1', master_port = ${primary.port}, master_user = 'invoicing',
        master_password = '${password}', master_use_gtid = slave_pos, master_demote_to_slave = 1, master_connect_retry = 1`,
      'START SLAVE',
    );
    await untilTrue('the replica follows', () => this.isWhole());
  }

  /** Tests whether the replica follows and has all commits. */
  async isWhole(): Promise<boolean> {
    const [status] = await this.replica.ask('SHOW SLAVE STATUS');
    return status?.['Seconds_Behind_Master'] === 0 && (await this.isSafe());
  }

  /** Tests whether commits of the primary wait for the replica, and no wait has timed out. */
  async isSafe(): Promise<boolean> {
    const status = await this.primary.ask("SHOW STATUS LIKE 'Rpl_semi_sync_master_%'");
    const valueOf = (name: string): unknown => status.find((row) => row['Variable_name'] === name)?.['Value'];
    return valueOf('Rpl_semi_sync_master_clients') === '1' && valueOf('Rpl_semi_sync_master_status') === 'ON';
  }

  async stop(): Promise<void> {
    await Promise.all([this.replica.stop(), this.primary.stop()]);
  }

  /** Waits until the replica has applied everything up to a position, and makes it the primary. */
  private async promote(position: string): Promise<void> {
    const { primary, replica } = this;
    const [applied] = await replica.ask(`SELECT MASTER_GTID_WAIT('${position}', 8) AS outcome`);
    if (applied?.['outcome'] !== 0) throw new Error(`the replica has not applied ${position}`);
    await replica.ask('STOP SLAVE', 'RESET SLAVE ALL', 'SET GLOBAL read_only = OFF');
    this.roles = { primary: replica, replica: primary };
  }
}
