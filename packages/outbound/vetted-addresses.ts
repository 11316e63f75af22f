import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { OutboundRefused } from './errors.ts';
import { canonicalAddress } from './public-address.ts';
import type { TargetPolicy } from './target.ts';

/** `Resolver` of node:dns/promises is one. */
export interface HostResolver {
  resolve4(hostname: string): Promise<string[]>;
  resolve6(hostname: string): Promise<string[]>;
}

/**
 * c-ares rather than getaddrinfo, which blocks a thread of Node's pool of four for as long as a hostile DNS server likes. It
 * asks often, because c-ares cuts its patience to 250 ms where earlier answers came fast, and doubles it only with each try: with
 * two tries, a host whose own name server takes a second would count as unresolvable. The caller's deadline ends it anyway.
 */
export function patientResolver(): Resolver {
  return new Resolver({ timeout: 2_000, tries: 5 });
}

/**
 * The addresses of a host, IPv4 first, if the policy admits every one of them. One bad address refuses the host: a name that
 * is public and private at once is either an attack or a mistake, and to pick the good one would hide both.
 *
 * Nothing is remembered. An answer that was good when a subscription was made says nothing about now (DNS rebinding), so each
 * request asks again, and connects to what this very answer said.
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
  // RFC 6761: these names are this machine. A DNS server asked for them may answer anything.
  if (/(^|\.)localhost\.?$/.test(hostname)) return ['127.0.0.1', '::1'];
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  // Most hosts lack one of the two families, and some DNS servers answer AAAA with an error, so one good answer suffices. It
  // is safe: only addresses that were seen and vetted are ever connected to.
  return [ipv4, ipv6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}
