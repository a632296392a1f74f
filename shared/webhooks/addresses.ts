import { BlockList, isIP } from 'node:net';

/** Networks of IPv4 outside the public internet: IANA's special-purpose registry, multicast, and addresses of cloud platforms. */
const special4 = [
  '0.0.0.0/8', // this network, the unspecified address
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // the platform of Azure
  '169.254.0.0/16', // link-local, the metadata of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // IETF protocols
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
];

/** All of IPv6 that is assigned to the public internet. IPv4-mapped, NAT64, unique local, link-local, multicast … lie outside. */
const global6 = '2000::/3';

/** Networks within {@link global6} that are not public, or that embed an IPv4 address. */
const special6 = [
  '2001::/23', // IETF protocols: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
];

const refused4 = blockList('ipv4', special4);
const allowed6 = blockList('ipv6', [global6]);
const refused6 = blockList('ipv6', special6);

/** Tests whether a text is an IP address of the public internet. */
export function isPublicAddress(ip: string): boolean {
  const family = isIP(ip);
  if (family === 4) return !refused4.check(ip, 'ipv4');
  return family === 6 && allowed6.check(ip, 'ipv6') && !refused6.check(ip, 'ipv6');
}

/** Returns the IP address that the host of a parsed URL is, or null where it is a name. The parser has normalised `0x7f.1`. */
export function literalAddress({ hostname }: URL): string | null {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? null : host;
}

function blockList(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
