import { BlockList, isIP } from 'node:net';

/** Addresses of IPv4 that are not on the public internet (IANA's special-purpose registry). */
const INSIDE_4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/** Exceptions in 2000::/3, outside of which nothing of IPv6 is public: protocols, documentation, and those that lead to addresses of IPv4. */
const INSIDE_6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const inside = new BlockList();
for (const [network, prefix] of INSIDE_4) inside.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of INSIDE_6) inside.addSubnet(network, prefix, 'ipv6');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

/** Whether an address leads to this machine, its network or nowhere. True for what is no address. */
export function isInside(address: string): boolean {
  const kind = isIP(address);
  if (kind === 4) return inside.check(address, 'ipv4');
  // Includes addresses of IPv4 in the form of IPv6, which a resolver of the system never needs.
  return kind === 0 || !global6.check(address, 'ipv6') || inside.check(address, 'ipv6');
}
