import type { Socket } from 'node:net';

/** The connections from one network: of one client, or of a proxy. */
export interface Network {
  readonly name: string;
  /** The oldest comes first. */
  readonly open: Set<Socket>;
  /** The one that has been idle longest comes first. */
  readonly idle: Set<Socket>;
  /** Whether a request with a valid key came on one of its connections. */
  isKnown: boolean;
}

/** The networks that have open connections. What a call takes does not grow with their number: there may be thousands. */
export class Networks {
  private readonly byName = new Map<string, Network>();
  private readonly known = new Ranking();
  private readonly unknown = new Ranking();

  /** Returns the network of that name, to which a connection is added next. */
  named(name: string): Network {
    const network = this.byName.get(name) ?? { name, open: new Set(), idle: new Set(), isKnown: false };
    this.byName.set(name, network);
    return network;
  }

  /** Lets `change` change the connections of a network, or whether it is known. Without connections it is forgotten. */
  change(network: Network, change: () => void): void {
    this.rank(network, 'delete');
    change();
    this.rank(network, 'add');
    // A response may end after its network was forgotten, and another one has the name.
    if (network.open.size === 0 && this.byName.get(network.name) === network) this.byName.delete(network.name);
  }

  /**
   * Returns the connection to close when there are too many: of the known network that has most, or of all unknown ones if together they
   * have more. Of networks with as many, the one whose connections have not changed for longest is first: a new connection has time for its
   * first request, however busy the others are. Within the network, the connection that has been idle longest is first, then the oldest.
   */
  get last(): Socket | undefined {
    const known = this.known.first;
    const ofKnown = known !== undefined && known.open.size >= this.unknown.total;
    const from = ofKnown ? known : this.unknown.first;
    const [socket] = from?.idle.size ? from.idle : (from?.open ?? []);
    return socket;
  }

  private rank(network: Network, how: 'add' | 'delete'): void {
    this[network.isKnown ? 'known' : 'unknown'][how](network, network.open.size);
  }
}

/** Networks by a number of connections. Of 8,000 connections there are at most 126 different numbers. */
class Ranking {
  total = 0;
  private readonly byCount = new Map<number, Set<Network>>();

  /** One that has most: the one whose connections have not changed for longest. */
  get first(): Network | undefined {
    const [first] = this.byCount.get(Math.max(...this.byCount.keys())) ?? [];
    return first;
  }

  add(network: Network, count: number): void {
    if (count === 0) return;
    this.total += count;
    this.byCount.set(count, (this.byCount.get(count) ?? new Set()).add(network));
  }

  delete(network: Network, count: number): void {
    const equals = this.byCount.get(count);
    if (equals?.delete(network) !== true) return;
    this.total -= count;
    if (equals.size === 0) this.byCount.delete(count);
  }
}
