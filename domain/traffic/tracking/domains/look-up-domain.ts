import { Resolver } from 'node:dns/promises';
import type { DnsAnswer, DomainProof, DomainRecords } from './domain-verdict.ts';

/** Opens a resolver for one lookup; `Resolver` of node:dns/promises is one. Results are not cached between lookups. */
export type OpenDns = () => Pick<Resolver, 'resolveCname' | 'resolveTxt' | 'cancel'>;

/** Uses these DNS servers, each an address or address:port; with none, those of the machine. */
export function dnsOpener(servers: readonly string[], timeoutMs = 1_500): OpenDns {
  const open = () => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
    if (servers.length > 0) resolver.setServers(servers);
    return resolver;
  };
  // Validates the addresses at startup instead of at the first request.
  open().cancel();
  return open;
}

/** Limits all queries of one lookup together, because the domain's name servers may answer slowly on purpose. */
const deadlineMs = 6_000;
const maxAliases = 5;

export async function lookUpDomain({ domain, target, txtName }: DomainProof, openDns: OpenDns): Promise<DomainRecords> {
  const dns = openDns();
  const timer = setTimeout(() => dns.cancel(), deadlineMs);
  try {
    const [cname, txt] = await Promise.all([
      followAliases(domain, target, dns),
      toDnsAnswer(async () => (await dns.resolveTxt(txtName)).map((chunks) => chunks.join(''))),
    ]);
    return { cname, txt };
  } finally {
    clearTimeout(timer);
  }
}

async function followAliases(domain: string, target: string, dns: ReturnType<OpenDns>): Promise<DnsAnswer> {
  const seen: string[] = [];
  for (let name = domain; seen.length < maxAliases && name !== target; ) {
    const step = await toDnsAnswer(() => dns.resolveCname(name));
    // The last alias has addresses or nothing, so its query fails; the aliases found on the way still count.
    if (!Array.isArray(step) || step[0] === undefined) return seen.length > 0 && step !== 'no_answer' ? seen : step;
    name = sanitiseName(step[0]);
    seen.push(name);
  }
  return seen;
}

async function toDnsAnswer(query: () => Promise<string[]>): Promise<DnsAnswer> {
  try {
    return await query();
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENODATA') return 'no_record';
    return code === 'ENOTFOUND' ? 'no_such_name' : 'no_answer';
  }
}

/** Keeps only characters of host names: the name comes from an untrusted server and is displayed. */
const sanitiseName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '')
    .replace(/\.$/, '')
    .slice(0, 253);
