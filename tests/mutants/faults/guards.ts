import { type Fault, faultsIn } from '../fault.ts';

/** Faults in encryption, rate limits and outbound requests. */
export const faults: readonly Fault[] = [
  ...faultsIn('packages/vault/vault.ts', ['packages/vault/vault.test.ts'], {
    'seal-opens-elsewhere': [
      'JSON.stringify([formatVersion, part, table, column, row, profileId])',
      'JSON.stringify([formatVersion, part, table, column, row])',
      'a secret encrypted for one profile can be decrypted for another',
    ],
    'rewrap-does-nothing': [
      'return masterId === newestOf().id ? undefined :',
      'return true ? undefined :',
      'after a rotation the old master key must still be kept',
    ],
  }),
  ...faultsIn('packages/vault/sealed-box.ts', ['packages/vault/sealed-box.test.ts'], {
    'pair-for-ever': [
      ' || nowMs() >= pair.until || pair.seals >= mostSeals',
      '',
      'one key pair seals everything until the process ends',
    ],
    'box-for-the-old-key': [
      'pair?.recipient !== newest.id || ',
      'pair === undefined || ',
      'after a rotation visits are still sealed for the old key',
    ],
  }),
  ...faultsIn('packages/vault/key-store.ts', ['packages/vault/key-store.test.ts'], {
    'oldest-key-seals': [
      ".where('retired_at', 'is', null)\n    .orderBy('created_at', 'desc')\n    .orderBy('id')\n    .execute();",
      ".where('retired_at', 'is', null)\n    .orderBy('created_at', 'asc')\n    .orderBy('id')\n    .execute();",
      'new secrets are encrypted with the oldest key',
    ],
    'retired-key-still-opens': [
      "    .select(['purpose', 'id', 'sealed', 'public_key', 'created_at'])\n    .where('retired_at', 'is', null)",
      "    .select(['purpose', 'id', 'sealed', 'public_key', 'created_at'])",
      'a retired key still decrypts',
    ],
    'newest-key-retired': [
      'keys.slice(indexOfCurrent(keys, now) + 1).map(',
      'keys.slice(0, -1).map(',
      'key retirement retires the newest key and keeps the oldest',
    ],
  }),
  ...faultsIn(
    'packages/outbound/public-address.ts',
    ['packages/outbound/public-address.test.ts', 'packages/outbound/target.test.ts'],
    {
      'metadata-is-public': [
        "  ['169.254.0.0/16', 'special', 'link-local; the metadata of most clouds'],\n",
        '',
        "a webhook can reach the cloud's metadata service",
      ],
      'any-ipv6-is-public': [
        "address.kind() === 'ipv4' || address.match(publicIpv6) ? 'public' : 'special'",
        "'public'",
        'a webhook can reach private addresses embedded in IPv6',
      ],
      'zones-taken': [
        " || text.includes('%')) return undefined;",
        ') return undefined;',
        'an address with a zone counts as public',
      ],
    },
  ),
  ...faultsIn(
    'packages/outbound/connector.ts',
    ['packages/outbound/connector.test.ts', 'packages/outbound/index.test.ts'],
    {
      'peer-not-looked-at': [
        'if (canonicalAddress(peer) !== address || !policy.admits(peer)) {',
        'if (false) {',
        'a request is sent to a peer address that was not checked',
      ],
      'any-certificate': [
        'rejectUnauthorized: true,',
        'rejectUnauthorized: false,',
        'a man in the middle can read webhook deliveries',
      ],
    },
  ),
  ...faultsIn('packages/outbound/target.ts', ['packages/outbound/target.test.ts'], {
    'any-port': [
      "if (policy.ports !== 'any' && !policy.ports.includes(port)) throw new OutboundRefused('port_not_allowed');",
      '',
      'a webhook can scan ports',
    ],
    'passwords-in-urls': [
      "if (url.username !== '' || url.password !== '') throw new OutboundRefused('credentials_in_url');",
      '',
      'credentials in a URL are stored and sent',
    ],
  }),
  ...faultsIn(
    'packages/outbound/exchange.ts',
    ['packages/outbound/exchange.test.ts', 'packages/outbound/index.test.ts'],
    {
      'answers-without-end': ['    if (length > maxBytes) break;\n', '', 'an endless response fills the memory'],
    },
  ),
  ...faultsIn('packages/outbound/index.ts', ['packages/outbound/index.test.ts', 'packages/outbound/exchange.test.ts'], {
    'host-header-set': [
      '    async request(url, request = {}) {\n      assertNoHost(request.headers);\n',
      '    async request(url, request = {}) {\n',
      'a request can reach an unchecked site behind a shared front end',
    ],
    'no-deadline': [
      "const timer = setTimeout(() => deadline.abort(new OutboundFailed('timeout')), timeoutMs);",
      'const timer = setTimeout(() => {}, timeoutMs);',
      'a request to an unresponsive receiver never times out',
    ],
  }),
  ...faultsIn('packages/redis/rate-limit.ts', ['packages/redis/rate-limit.test.ts'], {
    'limit-doubled': [
      'math.floor((full - (empty_at - now)) / interval + 0.000001))',
      'math.floor((2 * full - (empty_at - now)) / interval + 0.000001))',
      'twice the rate limit is allowed at once',
    ],
    'cost-ignored': [
      'local interval = full / ARGV[1] * ARGV[4]',
      'local interval = full / ARGV[1]',
      'an expensive request costs no more than a cheap one',
    ],
    'away-means-no-limit': [
      'const allowed = emptyAt + interval - now <= rate.window;',
      'const allowed = true || emptyAt + interval - now <= rate.window;',
      'nothing is rate-limited while Redis is unavailable',
    ],
  }),
  ...faultsIn('packages/redis/guesses.ts', ['packages/redis/guesses.test.ts'], {
    'guesses-wait-alike': [
      'ARGV[2] * 2 ^ math.min(guesses - ARGV[1], 20)',
      'tonumber(ARGV[2])',
      'the delay does not grow with the number of wrong passwords',
    ],
    'strangers-unlimited': [
      '  if late > 0 then return late end\n',
      '',
      'a password can be guessed from a thousand addresses at once',
    ],
    'right-guess-forgotten': [
      "redis.set(known, '1', 'PX', knownMs)",
      'Promise.resolve()',
      "other people's guesses lock a user out of their account",
    ],
  }),
  ...faultsIn('packages/operations/fair-scheduler.ts', ['packages/operations/fair-scheduler.test.ts'], {
    'tenants-without-limit': ['active < perTenant && ', '', "one tenant's slow readers use the slots of all tenants"],
    'greedy-tenant-first': [
      'this.#activeOf(tenant) >= this.#activeOf(next.tenant)',
      'this.#activeOf(tenant) <= this.#activeOf(next.tenant)',
      'the tenant with the most running requests goes first',
    ],
    'slot-not-freed': [
      '      this.#count(queued, -1);\n      this.#startNext();',
      '      this.#startNext();',
      'after some requests a client gets no slot any more',
    ],
  }),
];
