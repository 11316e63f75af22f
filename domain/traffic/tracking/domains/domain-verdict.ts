/** The result of a DNS query: its records, none for this name, an unknown name, or no usable answer. */
export type DnsAnswer = readonly string[] | 'no_record' | 'no_such_name' | 'no_answer';

export interface DomainRecords {
  /** The chain of CNAME targets. */
  readonly cname: DnsAnswer;
  readonly txt: DnsAnswer;
}

export interface DomainProof {
  readonly domain: string;
  /** The host name of the collector. */
  readonly target: string;
  readonly txtName: string;
  readonly token: string;
}

export interface Verdict {
  readonly status: 'verified' | 'failed';
  readonly verdict: string;
}

/** The DNS records that prove a domain. The token is the id of its registration, so no other domain has it. */
export function buildProof(row: { readonly id: string; readonly domain: string }, collectorUrl: string): DomainProof {
  return {
    domain: row.domain,
    target: new URL(collectorUrl).hostname,
    txtName: `_tributary.${row.domain}`,
    token: `tributary-verification=${row.id}`,
  };
}

/** Decides a domain's status from DNS results. Pure: queries nothing. */
export function decideDomain(
  { domain, target, txtName, token }: DomainProof,
  records: DomainRecords,
  wasVerified: boolean,
): Verdict {
  const { cname, txt } = records;
  if (Array.isArray(cname) && cname.includes(target)) return verified(`${domain} is an alias (CNAME) of ${target}.`);
  if (Array.isArray(txt) && txt.includes(token)) {
    return verified(
      `The TXT record of ${txtName} holds the token. Visits arrive once ${domain} also leads to ${target}.`,
    );
  }
  if (cname === 'no_answer' || txt === 'no_answer') {
    const consequence = wasVerified ? 'The domain was verified before and stays so.' : 'Try again in a while.';
    return {
      status: wasVerified ? 'verified' : 'failed',
      verdict: `DNS gave no answer about ${domain} in time. ${consequence}`,
    };
  }
  const advice = `Set a CNAME record of ${domain} to ${target}, or a TXT record of ${txtName} to ${token}.`;
  return {
    status: 'failed',
    verdict: `${describeCname(domain, cname, target)} ${describeTxt(txtName, txt)} ${advice}`,
  };
}

const verified = (verdict: string): Verdict => ({ status: 'verified', verdict });

function describeCname(domain: string, cname: Exclude<DnsAnswer, 'no_answer'>, target: string): string {
  if (cname === 'no_such_name') return `DNS knows no ${domain}.`;
  if (cname === 'no_record' || cname.length === 0) return `${domain} has no CNAME record.`;
  return `${domain} is an alias of ${cname.at(-1)}, not of ${target}.`;
}

const describeTxt = (txtName: string, txt: DnsAnswer): string =>
  Array.isArray(txt) && txt.length > 0
    ? `The TXT record of ${txtName} holds something else.`
    : `There is no TXT record of ${txtName}.`;
