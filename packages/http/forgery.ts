import type { IncomingHttpHeaders } from 'node:http';
import { refuse } from '@tributary/operations';

/**
 * Rejects cross-site request forgery. Browsers attach the session cookie to requests of any page, so a change made with a cookie
 * must come from our own pages. `Sec-Fetch-Site` and `Origin` cannot be set by a page, and the body must be JSON, which no form
 * can send.
 */
export function refuseForgery(method: string, headers: IncomingHttpHeaders, baseUrl: string): void {
  if (method === 'GET' || method === 'HEAD') return;
  const needsJson = method !== 'DELETE';
  const isJson = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
  if ((needsJson && !isJson) || !isFromOurPages(headers, baseUrl)) {
    refuse('forbidden', 'With a session cookie, changes are made from pages of this service only, and as JSON.', {
      fields: { reason: 'csrf' },
    });
  }
}

export function isFromOurPages(headers: IncomingHttpHeaders, baseUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  return site === 'same-origin' || site === 'none' || headers.origin === new URL(baseUrl).origin;
}
