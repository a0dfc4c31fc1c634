import fc from 'fast-check';
import { refusalReason } from './address-policy.js';

/** Networks outside the public internet, from the IANA registries, each with the expected refusal. */
const IPV4: [string, number, 'private' | 'reserved'][] = [
  ['0.0.0.0', 8, 'reserved'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private'],
  ['127.0.0.0', 8, 'private'],
  ['169.254.0.0', 16, 'reserved'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'reserved'],
  ['192.88.99.0', 24, 'reserved'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'private'],
  ['198.51.100.0', 24, 'reserved'],
  ['203.0.113.0', 24, 'reserved'],
  ['224.0.0.0', 3, 'reserved'],
];
const METADATA = new Set(['100.100.100.200', '168.63.129.16']);

const toNumber = (address: string) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const dotted = (number: number) => [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
const expected = (number: number) => {
  if (METADATA.has(dotted(number))) return 'reserved';
  return IPV4.find(([network, prefix]) => {
    const size = 2 ** (32 - prefix);
    return Math.floor(number / size) === Math.floor(toNumber(network) / size);
  })?.[2];
};
const edges = IPV4.flatMap(([network, prefix]) => {
  const first = toNumber(network);
  const last = first + 2 ** (32 - prefix) - 1;
  return [first - 1, first, last, last + 1].filter((number) => number >= 0 && number < 2 ** 32);
});
const anyIPv4 = fc.oneof(fc.nat(2 ** 32 - 1), fc.constantFrom(...edges));

describe('The address policy', () => {
  it('allows exactly the IPv4 addresses outside the special networks', () => {
    for (const number of edges)
      expect([dotted(number), refusalReason(dotted(number), false)]).toEqual([
        dotted(number),
        expected(number),
      ]);
    fc.assert(fc.property(anyIPv4, (number) => refusalReason(dotted(number), false) === expected(number)));
  });

  it('checks the IPv4 address inside an IPv6 address', () => {
    const words = (number: number) => `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`;
    fc.assert(
      fc.property(anyIPv4, fc.boolean(), (number, allowed) => {
        const refusal = refusalReason(dotted(number), allowed);
        const forms = [
          `::ffff:${words(number)}`,
          `::ffff:${dotted(number)}`,
          `0:0:0:0:0:ffff:${words(number)}`,
          `64:ff9b::${dotted(number)}`,
        ];
        return forms.every((form) => refusalReason(form, allowed) === refusal);
      }),
    );
  });

  it.each([
    ['2606:4700::1111', undefined],
    ['2001:4860:4860::8888', undefined],
    ['::', 'reserved'],
    ['::1', 'private'],
    ['::127.0.0.1', 'reserved'],
    ['fc00::1', 'private'],
    ['fdff:ffff::1', 'private'],
    ['fe80::1', 'reserved'],
    ['fe80::1%eth0', 'reserved'],
    ['fec0::1', 'reserved'],
    ['ff02::1', 'reserved'],
    ['fd00:ec2::254', 'reserved'],
    ['2001::1', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['2002:7f00:1::', 'reserved'],
    ['64:ff9b:1::7f00:1', 'reserved'],
    ['not an address', 'reserved'],
  ])('%s: %s', (address, refusal) => {
    expect(refusalReason(address, false)).toBe(refusal);
  });

  it('allows private networks on request, but never the addresses of cloud credentials', () => {
    for (const address of ['127.0.0.1', '10.1.2.3', '192.168.1.1', '100.64.0.1', '::1', 'fc00::1'])
      expect([address, refusalReason(address, true)]).toEqual([address, undefined]);
    for (const address of [
      '169.254.169.254',
      '100.100.100.200',
      '168.63.129.16',
      'fd00:ec2::254',
      'fe80::1',
      '0.0.0.0',
      '::',
    ])
      expect([address, refusalReason(address, true)]).toEqual([address, 'reserved']);
  });
});
