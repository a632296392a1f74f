import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../dev/servers/freePort';
import { accounts, MysqlNode, password } from './MysqlServers';
import { untilTrue } from './waiting';

/** The paths of the library in the packages of Debian and Fedora. */
const libraries = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera/libgalera_smm.so'];

/** Returns the path of MariaDB's library of Galera, or undefined. */
export const findGalera = (): string | undefined => libraries.find(existsSync);

const names = ['a', 'b', 'c'];

interface Ports {
  readonly group: number;
  readonly transfer: number;
}

/** Up to three servers of one Galera cluster. */
export class GaleraServers {
  readonly nodes: MysqlNode[] = [];
  /** The address that a starting server joins; null without a cluster. */
  private cluster: string | null = null;

  private constructor(
    private readonly dataDir: string,
    private readonly log: (line: string) => void,
    private readonly library: string,
    private readonly ports: readonly Ports[],
  ) {}

  /** Starts three servers, empty. @throws {Error} where there is no library of Galera. */
  static async start(dataDir: string, log: (line: string) => void): Promise<GaleraServers> {
    const servers = await GaleraServers.startOne(dataDir, log);
    await servers.found();
    await servers.join();
    await servers.join();
    return servers;
  }

  /** Starts one server, empty, without Galera. @throws {Error} where there is no library of Galera. */
  static async startOne(dataDir: string, log: (line: string) => void): Promise<GaleraServers> {
    const library = findGalera();
    if (library === undefined) throw new Error('this machine has no library of Galera');
    const ports = await Promise.all(names.map(async () => ({ group: await freePort(), transfer: await freePort() })));
    const servers = new GaleraServers(dataDir, log, library, ports);
    await (await servers.open()).ask(...accounts);
    return servers;
  }

  /** Restarts the only server as the first one of a cluster. */
  async found(): Promise<void> {
    const [first] = this.nodes as [MysqlNode];
    await first.stop();
    this.cluster = 'gcomm://';
    await first.start();
    await untilTrue('the server is a cluster', () => isMember(first));
    // The first server has a cluster to join from its next start on.
    this.cluster += this.ports.map(({ group }) => `127.0.0.1:${group}`).join(',');
  }

  /** Starts another server, which copies the data of the cluster. */
  async join(): Promise<void> {
    const node = await this.open();
    await untilTrue('the server is a member of its cluster', () => isMember(node));
  }

  /** Tests whether every server is a synchronised member. */
  async isWhole(): Promise<boolean> {
    const members = await Promise.all(this.nodes.map(isMember));
    const [size] = (await this.nodes[0]?.ask("SHOW STATUS LIKE 'wsrep_cluster_size'")) ?? [];
    return members.every((is) => is) && size?.['Value'] === String(this.nodes.length);
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  private async open(): Promise<MysqlNode> {
    const index = this.nodes.length;
    const dir = join(this.dataDir, `mysql-${names[index] ?? ''}`);
    const node = await MysqlNode.open(dir, () => this.argumentsOf(this.ports[index] as Ports), this.log);
    this.nodes.push(node);
    return node;
  }

  private argumentsOf({ group, transfer }: Ports): string[] {
    if (this.cluster === null) return [];
    return [
      '--binlog-format=ROW',
      '--innodb-autoinc-lock-mode=2',
      '--wsrep-on=ON',
      `--wsrep-provider=${this.library}`,
      '--wsrep-cluster-name=invoicing',
      `--wsrep-cluster-address=${this.cluster}`,
      `--wsrep-node-address=127.0.0.1:${group}`,
      `--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:${group};ist.recv_addr=127.0.0.1:${transfer}`,
      // The other methods do not run as root.
      '--wsrep-sst-method=mysqldump',
      `--wsrep-sst-auth=invoicing:${password}`,
    ];
  }
}

async function isMember(node: MysqlNode): Promise<boolean> {
  const [state] = await node.ask("SHOW STATUS LIKE 'wsrep_local_state_comment'");
  return state?.['Value'] === 'Synced';
}

/** Cuts a server off from the others of its cluster, but not from clients, or joins it again. */
export async function isolate(node: MysqlNode, isCutOff: boolean): Promise<void> {
  await node.ask(`SET GLOBAL wsrep_provider_options = 'gmcast.isolate = ${isCutOff ? 1 : 0}'`);
}
