import { isIP } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

/**
 * Returns the network by which a client's attempts are counted: an IPv4 address itself, the /48 network of an IPv6 address (a site gets up to
 * as much, RFC 6177, which are 65,536 networks of its own), `unknown` for an invalid address from a proxy.
 */
export function clientNetwork(address: string): string {
  const mapped = MAPPED_IPV4.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const version = isIP(address);
  if (version === 0) return 'unknown';
  return version === 4 ? address : networkOf(address);
}

/** Returns the first three of the eight groups; `::` stands for the missing zeros. */
function networkOf(address: string): string {
  const [start = '', end] = (address.split('%')[0] ?? '').split('::');
  const groups = (text = ''): string[] => text.split(':').filter((group) => group !== '');
  const [before, after] = [groups(start), groups(end)];
  const written = before.length + after.length + (after.at(-1)?.includes('.') === true ? 1 : 0);
  const all = [...before, ...Array<string>(Math.max(0, 8 - written)).fill('0'), ...after];
  return `${all
    .slice(0, 3)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')}::/48`;
}
