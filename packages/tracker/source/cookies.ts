import { attempt } from './attempt.ts';

let domain: string | undefined;

export function readCookies(): Record<string, string> {
  const cookies: Record<string, string> = {};
  for (const cookie of (attempt(() => document.cookie) || '').split('; ')) {
    const [name, value] = cookie.split('=');
    if (name && value) cookies[name] = value;
  }
  return cookies;
}

/**
 * Sets the cookie on the widest domain that accepts it, so that all subdomains of a site share the visitor. Zero seconds delete
 * it.
 */
export function writeCookie(name: string, value: string, seconds: number): void {
  attempt(() => {
    if (domain === undefined) domain = widestDomain();
    setCookie(name, value, seconds, domain);
  });
}

/** Found by trying to set a cookie, because only the browser knows the public suffix list. */
function widestDomain(): string {
  const name = 'tributary_probe';
  const labels = location.hostname.split('.');
  for (let first = labels.length - 1; first >= 0; first -= 1) {
    const candidate = labels.slice(first).join('.');
    setCookie(name, '1', 9, candidate);
    if (readCookies()[name]) {
      setCookie(name, '', 0, candidate);
      return candidate;
    }
  }
  return '';
}

function setCookie(name: string, value: string, seconds: number, at: string): void {
  const where = at && `;domain=${at}`;
  const secure = location.protocol === 'https:' ? ';secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is asynchronous, too late for an unloading page.
  document.cookie = `${name}=${value};path=/;max-age=${seconds};samesite=lax${where}${secure}`;
}
