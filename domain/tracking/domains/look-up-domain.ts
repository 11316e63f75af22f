import { Resolver } from 'node:dns/promises';
import type { DnsAnswer, DomainProof, SeenDomain } from './domain-verdict.ts';

/** One conversation with DNS; `Resolver` of node:dns/promises is one. Nothing is remembered between two. */
export type OpenDns = () => Pick<Resolver, 'resolveCname' | 'resolveTxt' | 'cancel'>;

/** Asks these servers, written as address or address:port; those of the machine when there are none. */
export function dnsOpener(servers: readonly string[], timeoutMs = 1_500): OpenDns {
  const open = () => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
    if (servers.length > 0) resolver.setServers(servers);
    return resolver;
  };
  // A server that is misspelt is found at the start, not by the first who asks.
  open().cancel();
  return open;
}

/** For all questions about a domain together: whoever keeps the domain's name servers may answer as slowly as they like. */
const deadlineMs = 6_000;
const longestAlias = 5;

export async function lookUpDomain({ domain, target, txtName }: DomainProof, openDns: OpenDns): Promise<SeenDomain> {
  const dns = openDns();
  const timer = setTimeout(() => dns.cancel(), deadlineMs);
  try {
    const [cname, txt] = await Promise.all([
      followAliases(domain, target, dns),
      asAnswer(async () => (await dns.resolveTxt(txtName)).map((chunks) => chunks.join(''))),
    ]);
    return { cname, txt };
  } finally {
    clearTimeout(timer);
  }
}

async function followAliases(domain: string, target: string, dns: ReturnType<OpenDns>): Promise<DnsAnswer> {
  const seen: string[] = [];
  for (let name = domain; seen.length < longestAlias && name !== target; ) {
    const step = await asAnswer(() => dns.resolveCname(name));
    // Where the aliases end there are addresses, or nothing; what was seen on the way still counts.
    if (!Array.isArray(step) || step[0] === undefined) return seen.length > 0 && step !== 'no_answer' ? seen : step;
    name = readable(step[0]);
    seen.push(name);
  }
  return seen;
}

async function asAnswer(ask: () => Promise<string[]>): Promise<DnsAnswer> {
  try {
    return await ask();
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENODATA') return 'no_record';
    return code === 'ENOTFOUND' ? 'no_such_name' : 'no_answer';
  }
}

/** A name comes from strangers, and is shown: only what a host name is made of is left of it. */
const readable = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '')
    .replace(/\.$/, '')
    .slice(0, 253);
