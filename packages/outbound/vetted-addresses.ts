import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { OutboundRefused } from './errors.ts';
import { canonicalAddress } from './public-address.ts';
import type { TargetPolicy } from './target.ts';

/** Implemented by `Resolver` of node:dns/promises. */
export interface HostResolver {
  resolve4(hostname: string): Promise<string[]>;
  resolve6(hostname: string): Promise<string[]>;
}

/**
 * Uses c-ares instead of getaddrinfo, which a hostile DNS server could use to block the threads of Node's pool of four. It allows many
 * tries, because c-ares cuts its timeout to 250 ms after fast answers and doubles it only with each try. With two tries, a host whose name
 * server takes a second would count as unresolvable. The caller's deadline limits the total.
 */
export function createResolver(): Resolver {
  return new Resolver({ timeout: 2_000, tries: 5 });
}

/**
 * The addresses of a host, IPv4 first, if the policy admits all of them. One bad address refuses the host. A name that is public and
 * private at once is an attack or a mistake, and picking the good address would hide both.
 *
 * Answers are not cached. A good answer when a subscription was created means nothing later (DNS rebinding), so each request resolves again
 * and connects to an address of that very answer.
 */
export async function vettedAddresses(
  hostname: string,
  policy: TargetPolicy,
  resolver: HostResolver,
): Promise<readonly string[]> {
  const answers = isIP(hostname) === 0 ? await resolve(hostname, resolver) : [hostname];
  if (answers.length === 0) throw new OutboundRefused('address_not_public');
  const addresses = new Set<string>();
  for (const answer of answers) {
    const address = canonicalAddress(answer);
    if (address === undefined || !policy.admits(address)) throw new OutboundRefused('address_not_public');
    addresses.add(address);
  }
  return [...addresses];
}

async function resolve(hostname: string, resolver: HostResolver): Promise<string[]> {
  // RFC 6761: these names are this machine. A DNS server could return any address for them.
  if (/(^|\.)localhost\.?$/.test(hostname)) return ['127.0.0.1', '::1'];
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  // Most hosts lack one of the two families, and some DNS servers answer AAAA with an error, so one good answer is enough. It is safe
  // because only vetted addresses are connected to.
  return [ipv4, ipv6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}
