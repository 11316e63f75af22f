import { sites } from './channel-table.ts';
import { loginHosts, paymentHosts, type RedirectHost } from './redirect-hosts.ts';
import type { Site } from './sites/site.ts';

/** Maps hosts to sites. */

/** Normalises a host as in the lists: lower case, without `www.`, port and trailing dot. */
export function plainHost(host: string): string {
  let plain = host.toLowerCase();
  const port = plain.lastIndexOf(':');
  if (port > 0 && !plain.endsWith(']')) plain = plain.slice(0, port);
  while (plain.endsWith('.')) plain = plain.slice(0, -1);
  return plain.startsWith('www.') ? plain.slice(4) : plain;
}

const byHost = new Map<string, Site>();
const byCountryName = new Map<string, Site>();
for (const site of sites) {
  for (const host of [...(site.hosts ?? []), ...(site.apps ?? [])]) byHost.set(host, site);
  for (const name of site.countryHosts ?? []) byCountryName.set(name, site);
}

/** The site of a host: by its own line, then by the line of each parent domain. */
export function siteOfHost(host: string): Site | undefined {
  for (const domain of domainsOf(host)) {
    const site = byHost.get(domain) ?? countrySite(domain);
    if (site) return site;
  }
  return undefined;
}

/** `google.cl`, `google.co.uk` and `google.com.ar`, but not `google.example`. */
function countrySite(domain: string): Site | undefined {
  const dot = domain.indexOf('.');
  const site = byCountryName.get(domain.slice(0, dot));
  return site && /^\.(com|(com?\.)?[a-z]{2})$/.test(domain.slice(dot)) ? site : undefined;
}

/**
 * The host, then each parent domain, except the top-level label. A name has at most 127 labels; the lists never need
 * so many.
 */
function* domainsOf(host: string): Generator<string> {
  let domain = host;
  for (let depth = 0; depth < 10 && domain.includes('.'); depth += 1) {
    yield domain;
    domain = domain.slice(domain.indexOf('.') + 1);
  }
}

/** Whether the host equals one of these domains or is a subdomain of one. */
export function isUnder(host: string, above: readonly string[]): boolean {
  return above.some((written) => {
    const domain = plainHost(written);
    return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
  });
}

const redirects = new Map<string, RedirectHost[]>();
for (const redirect of [...paymentHosts, ...loginHosts]) {
  redirects.set(redirect.host, [...(redirects.get(redirect.host) ?? []), redirect]);
}

/** Whether visitors return from there after paying or logging in. */
export function isRedirectHost(host: string, path: string, extraHosts: readonly string[]): boolean {
  if (isUnder(host, extraHosts)) return true;
  for (const domain of domainsOf(host)) {
    const found = redirects.get(domain);
    if (found?.some((redirect) => redirect.path === undefined || path.toLowerCase().includes(redirect.path)))
      return true;
  }
  return false;
}
