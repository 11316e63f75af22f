/**
 * Addresses of pages. The parameters `svc_t` (who opened this link) and `svc_v` (is the tracker installed here) are for us alone: they are
 * taken out as text, so that not a letter of the rest changes, and also after the hash, where a link to a hash router has them.
 */
const reserved = /([?&])svc_([tv])(?:=([^&#]*))?(?:(&)|(?=#)|$)/;

export interface Taken {
  /** The address without our parameters. */
  readonly url: string;
  readonly t?: string;
  readonly v?: string;
}

export function takeReserved(url: string): Taken {
  const taken: { url: string; t?: string; v?: string } = { url };
  for (let found = reserved.exec(url); found; found = reserved.exec(url)) {
    const [all, before, name, value, more] = found;
    taken[name as 't' | 'v'] = taken[name as 't' | 'v'] || decode(value);
    taken.url = url.slice(0, found.index) + (more ? before : '') + url.slice(found.index + all.length);
    url = taken.url;
  }
  return taken;
}

function decode(value = ''): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** The page that an address shows. A hash counts where it looks like a path; elsewhere it may hold anything, even a token. */
export function pageOf({
  origin,
  pathname,
  search,
  hash,
}: Pick<Location, 'origin' | 'pathname' | 'search' | 'hash'>): string {
  return takeReserved(origin + pathname + search + (/^#!?\//.test(hash) ? hash : '')).url;
}
