import { Socket } from 'node:net';
import { Networks, type Network } from '../../../../api/http/connections/Networks';

/** A network with connections: the first ones are busy, the others idle. */
function add(networks: Networks, name: string, { busy = 0, idle = 0, isKnown = false }): Network {
  const network = networks.named(name);
  networks.change(network, () => {
    network.isKnown = isKnown;
    for (let index = 0; index < busy + idle; index++) {
      const socket = new Socket();
      network.open.add(socket);
      if (index >= busy) network.idle.add(socket);
    }
  });
  return network;
}

/** Closes so many connections to make room, and returns the names of their networks. */
function close(networks: Networks, all: readonly Network[], count: number): string[] {
  return Array.from({ length: count }, () => {
    const { last } = networks;
    const network = all.find(({ open }) => last !== undefined && open.has(last));
    if (last === undefined || network === undefined) return 'none';
    networks.change(network, () => [network.open, network.idle].forEach((sockets) => sockets.delete(last)));
    return network.name;
  });
}

describe('the connection that makes room', () => {
  let networks: Networks;
  beforeEach(() => (networks = new Networks()));

  test('is of the known network that has most, or of the unknown ones if together they have more', () => {
    const all = [
      add(networks, 'small', { idle: 1, isKnown: true }),
      add(networks, 'large', { busy: 4, isKnown: true }),
      ...['a', 'b', 'c'].map((name) => add(networks, name, { idle: 1 })),
    ];
    expect(close(networks, all, 8)).toEqual(['large', 'large', 'a', 'large', 'b', 'small', 'large', 'c']);
    expect(networks.last).toBeUndefined();
  });

  test('is of the unknown network that has most, and idle if it has an idle one', () => {
    const all = [
      add(networks, 'reader', { busy: 1 }),
      add(networks, 'two', { busy: 5, idle: 2 }),
      add(networks, 'three', { idle: 3 }),
    ];
    const [, two] = all;
    expect(close(networks, all, 2)).toEqual(['two', 'two']);
    expect(two?.idle.size).toBe(0);
    expect(close(networks, all, 9)).toEqual(['two', 'two', 'three', 'two', 'three', 'two', 'reader', 'three', 'two']);
  });

  test('is none that has just been opened, however busy the older ones of other networks are', () => {
    const all = Array.from({ length: 100 }, (_, index) => add(networks, String(index), { busy: 1 }));
    const opened = add(networks, 'new', { idle: 1 });
    expect(close(networks, [...all, opened], 100)).toEqual(all.map(({ name }) => name));
  });

  test('is the one that has been idle longest, of networks with one each', () => {
    const all = Array.from({ length: 100 }, (_, index) => add(networks, String(index), { idle: 1 }));
    const [first] = all;
    const [socket] = first?.open ?? [];
    if (first === undefined || socket === undefined) throw new Error('no network');
    networks.change(first, () => first.idle.delete(socket));
    networks.change(first, () => first.idle.add(socket));
    expect(close(networks, all, 100)).toEqual([...all.slice(1), first].map(({ name }) => name));
  });

  test('is of a network that has become known only by what it has alone', () => {
    const all = [add(networks, 'a', { idle: 3 }), add(networks, 'b', { idle: 2 }), add(networks, 'c', { idle: 2 })];
    for (const network of all.slice(0, 2)) networks.change(network, () => (network.isKnown = true));
    expect(close(networks, all, 4)).toEqual(['a', 'b', 'a', 'c']);
  });
});

test('a network whose last connection is closed is forgotten; that of its name is another one, whatever ends of the first', () => {
  const networks = new Networks();
  const first = add(networks, 'a', { idle: 1 });
  networks.change(first, () => [first.open, first.idle].forEach((sockets) => sockets.clear()));
  const second = add(networks, 'a', { idle: 1 });
  expect(second).not.toBe(first);
  networks.change(first, () => (first.isKnown = true));
  expect(networks.named('a')).toBe(second);
});
