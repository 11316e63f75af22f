/**
 * An endless sequence of hostile URLs, the same for the same seed. Each case contains the expected result, from how it was made and not
 * from the guard's own tables. Public addresses come only from `publicNetworks`, all others from `notPublicIpv4` and `notPublicIpv6`, so
 * `publicNetworks` alone is enough to detect a wrong connection.
 */
export interface HostileCase {
  readonly family: string;
  readonly url: string;
  /** `public`: may be connected to, but only at a public address. */
  readonly expect: 'refused' | 'public';
  /** The answers of DNS: the first round for the first query, and so on; the last round is repeated. */
  readonly dns?: { readonly name: string; readonly rounds: readonly (readonly string[])[]; readonly aliases: string[] };
  /** The URL is checked first, as when a subscription is created, must pass, and is requested afterwards. */
  readonly registered?: true;
}

export const publicNetworks = [
  ['1.0.0.0', 24],
  ['1.1.1.0', 24],
  ['8.8.8.0', 24],
  ['93.184.215.0', 24],
  ['2606:4700::', 32],
  ['2a00:1450::', 32],
] as const;

type Random = (below: number) => number;
type Octets = readonly [number, number, number, number];

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const notPublicIpv4 = words(`
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
  224.0.0.0/4 240.0.0.0/4 127.0.0.1/32 169.254.169.254/32 100.100.100.200/32`);
const notPublicIpv6 = words(`
  :: ::1 100:: 2001:2:: 2001:3:: 2001:10:: 2001:2f:: 2001:30:: 2001:db8:: 2620:4f:8000:: 3ffe:: 3fff:: 4000:: 5f00:: e000::
  fc00:: fd00:ec2:: fe80:: febf:: fec0:: ff02:: ff0e::`);
const otherSchemes = words('http ftp file gopher ws wss dict ldap jar data blob:https view-source:https');

/** mulberry32: small, fast and well distributed. Math.random cannot be seeded. */
export function seededRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)] as T;

/** Favours both ends of a range, where errors in tables are most likely. */
function hostileOctets(random: Random): Octets {
  const [network, bits] = pick(random, notPublicIpv4).split('/') as [string, string];
  const size = 2 ** (32 - Number(bits));
  const base = network.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
  return toOctets(base + pick(random, [0, size - 1, random(size), random(size)]));
}

const publicOctets = (random: Random): Octets =>
  pick(random, [[8, 8, 8, random(256)] as const, [93, 184, 215, random(256)] as const]);
const toOctets = (number: number): Octets =>
  [number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255] as const;
const toNumber = ([a, b, c, d]: Octets) => a * 2 ** 24 + b * 2 ** 16 + c * 256 + d;
const dotted = (octets: Octets) => octets.join('.');
const hexPair = ([a, b, c, d]: Octets) => `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
const hex = (number: number) => `0x${number.toString(16)}`;
const octal = (number: number) => `0${number.toString(8)}`;

type Spelling = (octets: Octets, random: Random) => string;

const ipv4Spellings: Record<string, Spelling> = {
  dotted,
  decimal: (octets) => String(toNumber(octets)),
  hex: (octets) => hex(toNumber(octets)),
  'hex-upper': (octets) => `0X${toNumber(octets).toString(16).toUpperCase()}`,
  octal: (octets) => octal(toNumber(octets)),
  'dotted-hex': (octets) => octets.map(hex).join('.'),
  'dotted-octal': (octets, random) => octets.map((octet) => '0'.repeat(random(9)) + octal(octet)).join('.'),
  'dotted-mixed': (octets, random) => octets.map((octet) => pick(random, [String, hex, octal])(octet)).join('.'),
  'two-parts': ([a, b, c, d], random) =>
    `${pick(random, [String, hex, octal])(a)}.${pick(random, [String, hex, octal])(b * 2 ** 16 + c * 256 + d)}`,
  'three-parts': ([a, b, c, d], random) => `${a}.${pick(random, [String, hex, octal])(b)}.${c * 256 + d}`,
};

/** Other characters that a URL parser maps to the same host. */
const disguises: Record<string, (host: string, random: Random) => string> = {
  'trailing-dot': (host) => `${host}.`,
  'percent-encoded': (host, random) =>
    host.replace(/./g, (char) => (random(2) ? `%${char.charCodeAt(0).toString(16)}` : char)),
  'full-width': (host) => host.replace(/[0-9a-zA-Z]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
  'unicode-dots': (host, random) => host.replace(/\./g, () => pick(random, ['。', '．', '｡'])),
  'circled-digits': (host) => host.replace(/[1-9]/g, (digit) => String.fromCharCode(0x245f + Number(digit))),
  'bold-digits': (host) => host.replace(/[0-9]/g, (digit) => String.fromCodePoint(0x1d7ce + Number(digit))),
  'soft-hyphen': (host) => [...host].join('\u00ad'),
  'tab-inside': (host, random) => host.replace(/\./g, () => pick(random, ['.', '.\t', '\n.', '.\r'])),
};

const ipv6Spellings: Record<string, Spelling> = {
  mapped: (octets) => `::ffff:${dotted(octets)}`,
  'mapped-hex': (octets) => `::FFFF:${hexPair(octets).toUpperCase()}`,
  'mapped-long': (octets) => `0:0:0:0:0:ffff:${hexPair(octets)}`,
  'mapped-padded': (octets) => `0000:0000:0000::0000:ffff:${dotted(octets)}`,
  compatible: (octets) => `::${dotted(octets)}`,
  'compatible-hex': (octets) => `::${hexPair(octets)}`,
  translated: (octets) => `::ffff:0:${dotted(octets)}`,
  nat64: (octets) => `64:ff9b::${dotted(octets)}`,
  'nat64-local': (octets) => `64:ff9b:1::${hexPair(octets)}`,
  '6to4': (octets) => `2002:${hexPair(octets)}::1`,
  teredo: ([a, b, c, d]) => `2001:0:4136:e378:8000:63bf:${hexPair([255 - a, 255 - b, 255 - c, 255 - d])}`,
  isatap: (octets) => `fe80::5efe:${dotted(octets)}`,
  native: (_octets, random) => hostileIpv6(random),
};

function hostileIpv6(random: Random): string {
  const prefix = pick(random, notPublicIpv6);
  return prefix.startsWith('::')
    ? prefix
    : prefix + pick(random, ['', '1', 'ffff:ffff:ffff', random(65536).toString(16)]);
}

const publicIpv6 = (random: Random) =>
  `${pick(random, ['2606:4700::', '2a00:1450:4001::'])}${(random(65535) + 1).toString(16)}`;
const hostileAddress = (random: Random) => (random(3) ? dotted(hostileOctets(random)) : hostileIpv6(random));
const publicAddress = (random: Random) => (random(3) ? dotted(publicOctets(random)) : publicIpv6(random));
const path = (random: Random) =>
  pick(random, ['', '/', '/hooks', '/latest/meta-data/?a=b', '/#x', ':443/', '?url=http://a']);

interface Family {
  /** Harmless even without the guard (invalid, or a public host), so the control run expects no connection. */
  readonly inert?: true;
  make(random: Random, index: number): Omit<HostileCase, 'family'>;
}

const refused = (url: string) => ({ url, expect: 'refused' as const });
const named = (host: string, rounds: readonly (readonly string[])[], aliases: string[] = []) => ({
  url: `https://${host}/`,
  dns: { name: host, rounds, aliases },
});

const hostFamilies: Record<string, Family> = {
  'dns-private': {
    make: (random, index) => ({ ...named(`a${index}.test`, [[hostileAddress(random)]]), expect: 'refused' }),
  },
  'dns-mixed': {
    make: (random, index) => {
      const addresses = [publicAddress(random), publicAddress(random), publicAddress(random)];
      addresses[random(3)] = hostileAddress(random);
      return { ...named(`b${index}.test`, [addresses]), expect: 'refused' };
    },
  },
  'dns-embedded': {
    make: (random, index) => {
      const spelled = pick(random, Object.values(ipv6Spellings))(hostileOctets(random), random);
      return { ...named(`c${index}.test`, [[publicAddress(random), spelled]]), expect: 'refused' };
    },
  },
  'dns-alias': {
    make: (random, index) => {
      const aliases = Array.from({ length: 1 + random(4) }, (_, step) => `alias${step}.d${index}.test`);
      return { ...named(`d${index}.test`, [[hostileAddress(random)]], aliases), expect: 'refused' };
    },
  },
  // Public when the subscription is created, private when the delivery is sent.
  'dns-rebound': {
    make: (random, index) => ({
      ...named(`e${index}.test`, [[publicAddress(random)], [hostileAddress(random), hostileAddress(random)]]),
      registered: true,
      expect: 'refused',
    }),
  },
  // Public for the check, private for a second query: a correct guard connects to the checked address.
  'dns-flipping': {
    make: (random, index) => ({
      ...named(`f${index}.test`, [[dotted(publicOctets(random))], [dotted(hostileOctets(random))]]),
      expect: 'public',
    }),
    inert: true,
  },
  'dns-disguised-name': {
    make: (random, index) => {
      const { dns } = named(`g${index}.test`, [[hostileAddress(random)]]);
      const disguise = pick(random, ['trailing-dot', 'percent-encoded', 'full-width', 'unicode-dots'] as const);
      return { url: `HTTPS://${disguises[disguise]?.(dns.name.toUpperCase(), random)}/`, dns, expect: 'refused' };
    },
  },
  localhost: {
    make: (random) =>
      refused(`https://${pick(random, ['localhost', 'LOCALHOST', 'localhost.', 'a.b.localhost', 'ｌocalhost'])}/`),
  },
};

const urlFamilies: Record<string, Family> = {
  credentials: {
    make: (random) =>
      refused(
        `https://${pick(random, ['a:b', dotted(publicOctets(random)), ':x', '%40'])}@${publicAddressHost(random)}/`,
      ),
    inert: true,
  },
  'other-port': {
    make: (random) => refused(`https://${dotted(hostileOctets(random))}:${pick(random, [22, 80, 6379, 8443, 65535])}/`),
  },
  'other-port-public': {
    make: (random) => refused(`https://${publicAddressHost(random)}:${pick(random, [0, 22, 80, 442, 444, 8443])}/`),
    inert: true,
  },
  http: { make: (random) => refused(`http://${dotted(hostileOctets(random))}${path(random)}`) },
  'other-scheme': {
    make: (random) =>
      refused(`${pick(random, otherSchemes)}://${publicAddressHost(random)}${pick(random, ['/', ':443/'])}`),
    inert: true,
  },
  'zone-id': {
    make: (random) => refused(`https://[fe80::1${pick(random, ['%25', '%'])}${pick(random, ['eth0', 'lo', '1'])}]/`),
    inert: true,
  },
  'out-of-range': {
    make: (random) =>
      refused(
        `https://${pick(random, [`${2 ** 32 + toNumber(hostileOctets(random))}`, '256.1.1.1', '127.0.0.08', '1.2.3.4.5'])}/`,
      ),
    inert: true,
  },
  // Separators about which two parsers may disagree: here the real host is hostile ...
  'confusing-separators': {
    make: (random) => {
      const [bad, good] = [dotted(hostileOctets(random)), dotted(publicOctets(random))];
      return refused(
        pick(random, [
          `https://${bad}\\@${good}/`,
          `https://${bad}#@${good}/`,
          `https://${bad}?@${good}/`,
          `https:\\\\${bad}\\`,
          `https:${bad}`,
          `https:///////${bad}/`,
          `\u0000 \t\nht\ntps://${bad}/`,
          `https://@${bad}/`,
        ]),
      );
    },
  },
  // ... and here it is public, and the host after it must not be reached.
  'confusing-separators-public': {
    make: (random) => {
      const [bad, good] = [dotted(hostileOctets(random)), dotted(publicOctets(random))];
      return {
        url: `https://${good}${pick(random, ['\\@', '#@', '?@', '/@', '/\\', '/..//'])}${bad}/`,
        expect: 'public',
      };
    },
    inert: true,
  },
};

const publicAddressHost = (random: Random) => (random(2) ? dotted(publicOctets(random)) : `[${publicIpv6(random)}]`);

function literalFamilies(): Record<string, Family> {
  const families: Record<string, Family> = {};
  for (const [name, spell] of Object.entries(ipv4Spellings)) {
    families[`ipv4-${name}`] = {
      make: (random) => refused(`https://${spell(hostileOctets(random), random)}${path(random)}`),
    };
  }
  for (const [name, disguise] of Object.entries(disguises)) {
    families[`ipv4-${name}`] = {
      make: (random) => {
        const spell = pick(random, Object.values(ipv4Spellings));
        return refused(`https://${disguise(spell(hostileOctets(random), random), random)}${path(random)}`);
      },
    };
  }
  for (const [name, spell] of Object.entries(ipv6Spellings)) {
    families[`ipv6-${name}`] = {
      make: (random) => refused(`https://[${spell(hostileOctets(random), random)}]${path(random)}`),
    };
  }
  return families;
}

const families: readonly (readonly [string, Family])[] = Object.entries({
  ...literalFamilies(),
  ...hostFamilies,
  ...urlFamilies,
});

/** The families that reach a non-public address without the guard. */
export const dangerousFamilies: readonly string[] = families.filter(([, { inert }]) => !inert).map(([name]) => name);

export function hostileCase(random: Random, index: number): HostileCase {
  const [family, { make }] = families[index % families.length] as (typeof families)[number];
  return { family, ...make(random, index) };
}

/** A legitimate URL of a tenant, which the guard must permit. */
export function honestCase(random: Random, index: number): HostileCase {
  const spell = pick(random, Object.values(ipv4Spellings));
  const addresses = [publicAddress(random), publicAddress(random)];
  const aliases = random(2) ? [`cdn.p${index}.test`] : [];
  return {
    family: 'honest',
    expect: 'public',
    ...pick(random, [
      () => ({ url: `https://${publicAddressHost(random)}${path(random)}` }),
      () => ({ url: `https://${spell(publicOctets(random), random)}/` }),
      () => ({ ...named(`p${index}.test`, [addresses], aliases), registered: true as const }),
    ])(),
  };
}
