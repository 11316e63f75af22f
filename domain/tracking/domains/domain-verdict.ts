/** What DNS said to a question: something, that there is nothing, that the name does not exist, or nothing that helps. */
export type DnsAnswer = readonly string[] | 'no_record' | 'no_such_name' | 'no_answer';

export interface SeenDomain {
  /** Where its CNAME leads, step by step. */
  readonly cname: DnsAnswer;
  readonly txt: DnsAnswer;
}

export interface DomainProof {
  readonly domain: string;
  /** The collector's host. */
  readonly target: string;
  readonly txtName: string;
  readonly token: string;
}

export interface Verdict {
  readonly status: 'verified' | 'failed';
  readonly verdict: string;
}

/** The records that prove a domain. The token is the id of its registration: nobody else's domain has it. */
export function proofOf(row: { readonly id: string; readonly domain: string }, collectorUrl: string): DomainProof {
  return {
    domain: row.domain,
    target: new URL(collectorUrl).hostname,
    txtName: `_tributary.${row.domain}`,
    token: `tributary-verification=${row.id}`,
  };
}

/** What follows from what was seen. Nothing is looked up here. */
export function decideDomain(
  { domain, target, txtName, token }: DomainProof,
  seen: SeenDomain,
  wasVerified: boolean,
): Verdict {
  const { cname, txt } = seen;
  if (Array.isArray(cname) && cname.includes(target)) return verified(`${domain} is an alias (CNAME) of ${target}.`);
  if (Array.isArray(txt) && txt.includes(token)) {
    return verified(
      `The TXT record of ${txtName} holds the token. Visits arrive once ${domain} also leads to ${target}.`,
    );
  }
  if (cname === 'no_answer' || txt === 'no_answer') {
    const kept = wasVerified ? 'The domain was verified before and stays so.' : 'Try again in a while.';
    return {
      status: wasVerified ? 'verified' : 'failed',
      verdict: `DNS gave no answer about ${domain} in time. ${kept}`,
    };
  }
  const advice = `Set a CNAME record of ${domain} to ${target}, or a TXT record of ${txtName} to ${token}.`;
  return { status: 'failed', verdict: `${sawInstead(domain, cname, target)} ${sawNoToken(txtName, txt)} ${advice}` };
}

const verified = (verdict: string): Verdict => ({ status: 'verified', verdict });

function sawInstead(domain: string, cname: Exclude<DnsAnswer, 'no_answer'>, target: string): string {
  if (cname === 'no_such_name') return `DNS knows no ${domain}.`;
  if (cname === 'no_record' || cname.length === 0) return `${domain} has no CNAME record.`;
  return `${domain} is an alias of ${cname.at(-1)}, not of ${target}.`;
}

const sawNoToken = (txtName: string, txt: DnsAnswer): string =>
  Array.isArray(txt) && txt.length > 0
    ? `The TXT record of ${txtName} holds something else.`
    : `There is no TXT record of ${txtName}.`;
