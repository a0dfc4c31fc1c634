import { BlockList, isIP } from 'node:net';

const reserved = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  // Link-local, where clouds serve credentials of their machines.
  ['169.254.0.0', 16],
  // The metadata services of Alibaba and Azure.
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  reserved.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['fd00:ec2::', 32],
  // Teredo, benchmarks, documentation, 6to4: these can embed any address.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  reserved.addSubnet(network, prefix, 'ipv6');

const inside = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
] as const)
  inside.addSubnet(network, prefix, 'ipv4');
inside.addAddress('::1', 'ipv6');
inside.addSubnet('fc00::', 7, 'ipv6');

const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Mapped (`::ffff:0:0/96`) and NAT64 (`64:ff9b::/96`) addresses, as in URLs. */
const EMBEDDED_IPV4 = /^\[(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/;

/**
 * Why an IP address must not be fetched. Pages link to any host, and a host name can resolve to any address.
 *
 * @param address as a resolver returns it
 * @param allowPrivate allows loopback and private networks; link-local addresses stay refused
 * @returns `undefined` when it may be fetched
 */
export function refusalReason(address: string, allowPrivate: boolean): 'private' | 'reserved' | undefined {
  const family = isIP(address);
  if (family === 4) {
    if (reserved.check(address, 'ipv4')) return 'reserved';
    return inside.check(address, 'ipv4') && !allowPrivate ? 'private' : undefined;
  }
  if (family === 0 || !URL.canParse(`http://[${address}]`)) return 'reserved';
  const [, high, low] = EMBEDDED_IPV4.exec(new URL(`http://[${address}]`).hostname) ?? [];
  if (high !== undefined && low !== undefined) return refusalReason(dotted(high, low), allowPrivate);
  if (reserved.check(address, 'ipv6')) return 'reserved';
  if (inside.check(address, 'ipv6')) return allowPrivate ? undefined : 'private';
  return globalUnicast.check(address, 'ipv6') ? undefined : 'reserved';
}

function dotted(high: string, low: string): string {
  const bits = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return bits.flatMap((word) => [word >> 8, word & 0xff]).join('.');
}
