/** Whether a page of this origin may send visits. Hosts stand for their subdomains too; no hosts: every page may. */
export function isAllowedOrigin(origin: string | undefined, allowedHosts: readonly string[]): boolean {
  if (allowedHosts.length === 0) return true;
  const host = origin && URL.parse(origin)?.hostname.toLowerCase().replace(/\.$/, '');
  if (!host) return false;
  return allowedHosts.some((allowed) => host === allowed || host.endsWith(`.${allowed}`));
}
