import { isIP } from 'node:net';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { addressKind, canonicalAddress } from './public-address.ts';

/** First and last address of each non-public range, and its public neighbours, if it has any. */
type Edges = readonly [kind: string, first: string, last: string, before?: string | undefined, after?: string];
const edges: readonly Edges[] = [
  ['special', '0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
  ['private', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['special', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['loopback', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['special', '168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['special', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['private', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['special', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['special', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['special', '192.31.196.0', '192.31.196.255', '192.31.195.255', '192.31.197.0'],
  ['special', '192.52.193.0', '192.52.193.255', '192.52.192.255', '192.52.194.0'],
  ['special', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['private', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['special', '192.175.48.0', '192.175.48.255', '192.175.47.255', '192.175.49.0'],
  ['special', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['special', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['special', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['special', '224.0.0.0', '239.255.255.255', '223.255.255.255'],
  ['special', '240.0.0.0', '255.255.255.255'],
  ['special', '::', '::'],
  ['loopback', '::1', '::1'],
  ['special', '::2', '::ffff:ffff'],
  ['special', '64:ff9b::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, '2000::'],
  ['special', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff::', '2001:200::'],
  ['special', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::', '2001:db9::'],
  ['special', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::', '2003::'],
  ['special', '2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', '2620:4f:7fff::', '2620:4f:8001::'],
  ['special', '3ffe::', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffd:ffff::'],
  ['special', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, '3fff:1000::'],
  ['special', '4000::', 'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:ffff::'],
  ['private', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['special', 'fe00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
];

/** Tricks that were seen in the wild. */
const tricks: readonly (readonly [address: string, why: string])[] = [
  ['169.254.169.254', 'metadata of AWS, Google, Azure'],
  ['100.100.100.200', 'metadata of Alibaba Cloud'],
  ['192.0.0.192', 'metadata of Oracle Cloud'],
  ['fd00:ec2::254', 'metadata of AWS over IPv6'],
  ['::ffff:127.0.0.1', 'IPv4-mapped'],
  ['::ffff:7f00:1', 'IPv4-mapped, in hex'],
  ['0:0:0:0:0:FFFF:A00:1', 'IPv4-mapped, long, upper case'],
  ['::127.0.0.1', 'IPv4-compatible'],
  ['::8.8.8.8', 'IPv4-compatible, a form that no network carries any more'],
  ['::ffff:0:10.0.0.1', 'IPv4-translated'],
  ['64:ff9b::10.0.0.1', 'NAT64'],
  ['64:ff9b::8.8.8.8', 'NAT64 of a public address: still a way through a local gateway'],
  ['64:ff9b:1::10.0.0.1', 'NAT64, local prefix'],
  ['2002:7f00:1::', '6to4 of 127.0.0.1'],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'Teredo'],
  ['2001:10::1', 'ORCHID'],
  ['2001:20::1', 'ORCHIDv2'],
  ['100::1', 'discard only'],
  ['5f00::1', 'segment routing'],
  ['fec0::1', 'site-local'],
  ['fe80::1%lo', 'zone id'],
  ['2606:4700::1%eth0', 'zone id on an otherwise public address'],
];

describe('addressKind', () => {
  for (const [kind, first, last, ...neighbours] of edges) {
    test(`${kind} from ${first} to ${last}`, () => {
      expect([addressKind(first), addressKind(last)]).toEqual([kind, kind]);
      for (const neighbour of neighbours) {
        if (neighbour !== undefined) expect(addressKind(neighbour), neighbour).toBe('public');
      }
    });
  }

  test.each(tricks)('%s is not public: %s', (address) => {
    expect(addressKind(address)).not.toBe('public');
  });

  test.each(['8.8.8.8', '1.1.1.1', '::ffff:8.8.8.8', '::ffff:808:808', '2606:4700:4700::1111', '2a00:1450::1'])(
    '%s is public',
    (address) => {
      expect(addressKind(address)).toBe('public');
    },
  );

  test.each(['', ' 8.8.8.8', '8.8.8', '0x8.8.8.8', '010.8.8.8', '134744072', '8.8.8.8/0', '[::1]', 'localhost', '::g'])(
    '%j is not an address, so it is not public',
    (text) => {
      expect(addressKind(text)).toBe('special');
      expect(canonicalAddress(text)).toBeUndefined();
    },
  );

  const ipv4 = fc.ipV4();
  const ipv6 = fc.ipV6().filter((text) => !text.includes('%'));

  test('addresses that ipaddr.js classifies as special are not public', () => {
    const inMostlyReservedSpace = fc.tuple(fc.constantFrom('2001:', '2002:', '2620:4f:8000:', '3fff:', 'fe80:'), ipv6);
    const anywhere = fc.oneof(
      ipv4,
      ipv6,
      inMostlyReservedSpace.map(([prefix, text]) => `${prefix}:${text.replace(/^.*:/, '')}`),
    );
    fc.assert(
      fc.property(anywhere, (text) => {
        fc.pre(isIP(text) !== 0);
        if (ipaddr.process(text).range() !== 'unicast') expect(addressKind(text)).not.toBe('public');
      }),
      { numRuns: 5_000 },
    );
  });

  test('an IPv4-mapped address has the kind of its IPv4 address', () => {
    fc.assert(
      fc.property(ipv4, (text) => {
        expect(addressKind(`::ffff:${text}`)).toBe(addressKind(text));
        expect(canonicalAddress(`::ffff:${text}`)).toBe(text);
      }),
    );
  });

  test('an address has one canonical spelling, with or without the URL parser', () => {
    fc.assert(
      fc.property(ipv6, (text) => {
        const parsed = new URL(`https://[${text.toUpperCase()}]`).hostname.slice(1, -1);
        expect(canonicalAddress(text)).toBe(canonicalAddress(parsed));
        expect(addressKind(text)).toBe(addressKind(parsed));
      }),
      { numRuns: 1_000 },
    );
  });
});
