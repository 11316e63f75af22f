/** Whether pages of this origin may send visits. A host includes its subdomains; without hosts, every origin is allowed. */
export function isAllowedOrigin(origin: string | undefined, allowedHosts: readonly string[]): boolean {
  if (allowedHosts.length === 0) return true;
  const host = origin && URL.parse(origin)?.hostname.toLowerCase().replace(/\.$/, '');
  if (!host) return false;
  return allowedHosts.some((allowed) => host === allowed || host.endsWith(`.${allowed}`));
}
