/**
 * Page URLs. The parameters `svc_t` (link token: who opened this link) and `svc_v` (installation check) are ours. They are
 * removed as text, so that nothing else in the URL changes, and also after the hash, where links to hash routers carry them.
 */
const reserved = /([?&])svc_([tv])(?:=([^&#]*))?(?:(&)|(?=#)|$)/;

export interface ReservedParams {
  /** The URL without our parameters. */
  readonly url: string;
  readonly t?: string;
  readonly v?: string;
}

export function takeReserved(url: string): ReservedParams {
  const result: { url: string; t?: string; v?: string } = { url };
  for (let match = reserved.exec(url); match; match = reserved.exec(url)) {
    const [all, before, name, value, more] = match;
    result[name as 't' | 'v'] = result[name as 't' | 'v'] || decode(value);
    result.url = url.slice(0, match.index) + (more ? before : '') + url.slice(match.index + all.length);
    url = result.url;
  }
  return result;
}

function decode(value = ''): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** The URL of a page. The hash counts only if it looks like a path; otherwise it may contain anything, even a token. */
export function pageOf({
  origin,
  pathname,
  search,
  hash,
}: Pick<Location, 'origin' | 'pathname' | 'search' | 'hash'>): string {
  return takeReserved(origin + pathname + search + (/^#!?\//.test(hash) ? hash : '')).url;
}
