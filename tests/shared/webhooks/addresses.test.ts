import { isPublicAddress, literalAddress } from '../../../shared/webhooks/addresses';

/** The first and the last address of each network, and what lies just outside of it. */
const refused: Record<string, string[]> = {
  'the unspecified address': ['0.0.0.0', '0.255.255.255', '::'],
  loopback: ['127.0.0.1', '127.255.255.255', '::1'],
  private: ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  'link-local': ['169.254.0.0', '169.254.255.255', 'fe80::1', 'febf:ffff::1', 'fe80::1%eth0'],
  'metadata of clouds': ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
  'carrier-grade NAT': ['100.64.0.0', '100.127.255.255'],
  'IETF protocols': ['192.0.0.0', '192.0.0.255', '2001::1', '2001:1ff:ffff::1'],
  documentation: [
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.255',
    '2001:db8::1',
    '2001:db8:ffff::',
    '3fff::1',
    '3fff:fff::1',
  ],
  benchmarking: ['198.18.0.0', '198.19.255.255', '2001:2::1'],
  'AS112 and AMT': ['192.31.196.1', '192.52.193.1', '192.175.48.1', '2620:4f:8000::1'],
  multicast: ['224.0.0.0', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  'reserved and broadcast': ['240.0.0.0', '255.255.255.254', '255.255.255.255'],
  'unique local': ['fc00::', 'fdff:ffff::1'],
  'site-local': ['fec0::1', 'feff::1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:a9fe:a9fe', '0:0:0:0:0:ffff:10.0.0.1'],
  'IPv4-compatible': ['::127.0.0.1', '::8.8.8.8'],
  'IPv4-translated': ['::ffff:0:127.0.0.1'],
  '6to4': ['2002:7f00:1::', '2002:808:808::1', '192.88.99.1'],
  Teredo: ['2001:0:7f00:1::', '2001:0:ffff::1'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::a00:1'],
  'discard-only': ['100::1'],
  'not assigned': ['4000::1', '5f00::1', '8000::1', 'fe00::1'],
};
const allowed = [
  ...['1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
  ...['168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
  ...['191.255.255.255', '192.0.1.0', '192.0.3.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0'],
  ...['198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0', '223.255.255.255'],
  ...['2000::1', '2001:200::1', '2001:db7::1', '2001:db9::1', '2003::1', '2606:4700:4700::1111', '3ffe:ffff::1'],
];

describe.each(Object.entries(refused))('an address of the kind "%s"', (_, addresses) => {
  it.each(addresses)('is not public: %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

it.each(allowed)('an address outside of all special networks is public: %s', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

it.each(['', 'localhost', 'example.com', '1.2.3', '0x7f000001', '127.0.0.1.', '[::1]', '1.1.1.1/32'])(
  'a text that is no IP address is not public: "%s"',
  (text) => {
    expect(isPublicAddress(text)).toBe(false);
  },
);

it.each([
  ['http://127.0.0.1/', '127.0.0.1'],
  ['http://2130706433/', '127.0.0.1'],
  ['http://0x7f000001/', '127.0.0.1'],
  ['http://0177.0.0.1/', '127.0.0.1'],
  ['http://127.1/', '127.0.0.1'],
  ['http://127.0.0.1./', '127.0.0.1'],
  ['http://１２７。0.0.1/', '127.0.0.1'],
  ['http://[::1]:8080/', '::1'],
  ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
  ['https://example.com/', null],
  ['https://localhost/', null],
])('the host of %s is the address %s', (url, address) => {
  expect(literalAddress(new URL(url))).toBe(address);
});
