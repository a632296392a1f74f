import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../dev/servers/freePort';
import { accounts, MysqlNode, password } from './MysqlServers';
import { untilTrue } from './untilTrue';

/** Where the packages of Debian and Fedora have the library. */
const libraries = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera/libgalera_smm.so'];

/** Returns the path of MariaDB's library of Galera, or undefined. */
export const findGalera = (): string | undefined => libraries.find(existsSync);

/** Three servers of one Galera cluster. */
export class GaleraServers {
  private constructor(readonly nodes: readonly MysqlNode[]) {}

  /** Starts them, empty. @throws {Error} where there is no library of Galera. */
  static async start(dataDir: string, log: (line: string) => void): Promise<GaleraServers> {
    const library = findGalera();
    if (library === undefined) throw new Error('this machine has no library of Galera');
    const names = ['a', 'b', 'c'];
    const ports = await Promise.all(names.map(async () => ({ group: await freePort(), transfer: await freePort() })));
    const members = `gcomm://${ports.map(({ group }) => `127.0.0.1:${group}`).join(',')}`;
    const nodes: MysqlNode[] = [];
    for (const [index, { group, transfer }] of ports.entries()) {
      const argsOf = (): string[] => [
        '--binlog-format=ROW',
        '--innodb-autoinc-lock-mode=2',
        '--wsrep-on=ON',
        `--wsrep-provider=${library}`,
        '--wsrep-cluster-name=invoicing',
        // The first one makes the cluster; later there always is one to join.
        `--wsrep-cluster-address=${nodes.length === 0 ? 'gcomm://' : members}`,
        `--wsrep-node-address=127.0.0.1:${group}`,
        `--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:${group};ist.recv_addr=127.0.0.1:${transfer}`,
        // Of all methods the one that runs as root.
        '--wsrep-sst-method=mysqldump',
        `--wsrep-sst-auth=invoicing:${password}`,
      ];
      const node = await MysqlNode.open(join(dataDir, `mysql-${names[index] ?? ''}`), argsOf, log);
      nodes.push(node);
      if (index === 0) await node.ask(...accounts);
      await untilTrue('the server is a member of its cluster', () => isMember(node));
    }
    return new GaleraServers(nodes);
  }

  /** Tests whether every server has what the others have. */
  async isWhole(): Promise<boolean> {
    const members = await Promise.all(this.nodes.map(isMember));
    const [size] = (await this.nodes[0]?.ask("SHOW STATUS LIKE 'wsrep_cluster_size'")) ?? [];
    return members.every((is) => is) && size?.['Value'] === String(this.nodes.length);
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }
}

async function isMember(node: MysqlNode): Promise<boolean> {
  const [state] = await node.ask("SHOW STATUS LIKE 'wsrep_local_state_comment'");
  return state?.['Value'] === 'Synced';
}

/** Cuts a server off from the others of its cluster, and joins it again. Clients reach it. */
export async function isolate(node: MysqlNode, isCutOff: boolean): Promise<void> {
  await node.ask(`SET GLOBAL wsrep_provider_options = 'gmcast.isolate = ${isCutOff ? 1 : 0}'`);
}
