import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** `special`: not a host that a tenant can own, such as link-local, documentation, multicast, tunnel and metadata addresses. */
export type AddressKind = 'public' | 'loopback' | 'private' | 'special';

/**
 * Non-public ranges from IANA's special-purpose registries. The table replaces ipaddr.js's `range()`, so that it can be reviewed and an
 * upgrade of the library cannot open a hole; a test compares the two.
 */
const notPublic: readonly (readonly [cidr: string, kind: Exclude<AddressKind, 'public'>, why: string])[] = [
  ['0.0.0.0/8', 'special', 'this network; Linux connects 0.0.0.0 to itself'],
  ['10.0.0.0/8', 'private', 'RFC 1918'],
  ['100.64.0.0/10', 'special', 'carrier-grade NAT; cloud-internal services, such as the metadata of Alibaba Cloud'],
  ['127.0.0.0/8', 'loopback', 'this machine'],
  ['168.63.129.16/32', 'special', "Azure's host agent, reachable from every machine there; registered as public"],
  ['169.254.0.0/16', 'special', 'link-local; the metadata of most clouds'],
  ['172.16.0.0/12', 'private', 'RFC 1918'],
  ['192.0.0.0/24', 'special', 'IETF protocol assignments; the metadata of Oracle Cloud'],
  ['192.0.2.0/24', 'special', 'documentation'],
  ['192.31.196.0/24', 'special', 'AS112'],
  ['192.52.193.0/24', 'special', 'AMT'],
  ['192.88.99.0/24', 'special', '6to4 relays'],
  ['192.168.0.0/16', 'private', 'RFC 1918'],
  ['192.175.48.0/24', 'special', 'AS112'],
  ['198.18.0.0/15', 'special', 'benchmarking'],
  ['198.51.100.0/24', 'special', 'documentation'],
  ['203.0.113.0/24', 'special', 'documentation'],
  ['224.0.0.0/4', 'special', 'multicast'],
  ['240.0.0.0/4', 'special', 'reserved; ends with the broadcast address'],

  ['::1/128', 'loopback', 'this machine'],
  ['fc00::/7', 'private', 'unique local'],
  ['2001::/23', 'special', 'IETF protocol assignments: Teredo, benchmarking, AMT, AS112, ORCHID, drone ids'],
  ['2001:db8::/32', 'special', 'documentation'],
  ['2002::/16', 'special', '6to4: carries any IPv4 address inside'],
  ['2620:4f:8000::/48', 'special', 'AS112'],
  ['3ffe::/16', 'special', '6bone, given back'],
  ['3fff::/20', 'special', 'documentation'],
];

/**
 * The only IPv6 space in which IANA assigns public unicast addresses. As an allowlist it also excludes the forms in ::/8 that hide an IPv4
 * address: NAT64 (64:ff9b::), IPv4-compatible (::a.b.c.d), translated (::ffff:0:a.b.c.d).
 */
const publicIpv6 = ipaddr.parseCIDR('2000::/3');

const notPublicRanges = notPublic.map(([cidr, kind]) => ({ range: ipaddr.parseCIDR(cidr), kind }));

/** One spelling per address, with IPv4-mapped IPv6 (::ffff:a.b.c.d) unwrapped; undefined for a text that is not an address. */
export function canonicalAddress(text: string): string | undefined {
  return read(text)?.toString();
}

/** The kind of an address. Text that is not exactly one address is `special`, so it is never admitted. */
export function addressKind(text: string): AddressKind {
  const address = read(text);
  if (address === undefined) return 'special';
  for (const { range, kind } of notPublicRanges) {
    if (range[0].kind() === address.kind() && address.match(range)) return kind;
  }
  return address.kind() === 'ipv4' || address.match(publicIpv6) ? 'public' : 'special';
}

function read(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  // ipaddr.js also accepts 0x7f.1 and 0177.0.0.1. The URL parser has already normalised those, so here they mean that two parsers disagree.
  // A zone id names an interface of this machine, never a public host.
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  // ipaddr.js parses the IPv4-compatible ::8.8.8.8 as IPv4-mapped, whereas a kernel would send it to an IPv6 router. With a leading zero it
  // parses the same address correctly.
  return ipaddr.process(text.replace(/^::(?=\d+\.)/, '0::'));
}
