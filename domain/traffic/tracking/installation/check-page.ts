import { type Outbound, OutboundFailed, OutboundRefused, type OutboundResponse } from '@tributary/outbound';

/**
 * The result of searching a page's HTML for the snippet. Only a hint, since tag managers and consent banners add it
 * later.
 */
export interface PageHint {
  /** Null if the page could not be read. */
  readonly isSnippetPresent: boolean | null;
  readonly words: string;
}

const maxBytes = 512 * 1_024;
const maxRedirects = 3;

export async function checkPage(outbound: Outbound, url: string, key: string | undefined): Promise<PageHint> {
  try {
    const { status, body } = await fetchPage(outbound, url);
    if (status < 200 || status > 299) return unread(`The page answered with the status ${status}.`);
    const text = Buffer.from(body).toString('utf8');
    if (key !== undefined && text.includes(key)) return { isSnippetPresent: true, words: 'The page holds the key.' };
    if (/\btrk_[0-9A-Za-z]{22}\b/.test(text)) {
      return { isSnippetPresent: false, words: 'The page holds another tracking key than the active one.' };
    }
    return {
      isSnippetPresent: false,
      words: 'The page’s text does not hold the key. That is as it should be where a tag manager adds it.',
    };
  } catch (error) {
    if (error instanceof OutboundRefused || error instanceof OutboundFailed) return unread(error.message);
    throw error;
  }
}

/** Follows redirects one at a time, so that each target passes the outbound checks. */
async function fetchPage(outbound: Outbound, url: string): Promise<OutboundResponse> {
  for (let address = url, redirects = 0; ; redirects += 1) {
    const response = await outbound.request(address, {
      headers: { accept: 'text/html', 'accept-encoding': 'identity', 'user-agent': 'Tributary install check' },
      maxResponseBytes: maxBytes,
    });
    const { location } = response.headers;
    const next = typeof location === 'string' ? URL.parse(location, address)?.href : undefined;
    if (response.status < 300 || response.status > 399 || !next || redirects === maxRedirects) return response;
    address = next;
  }
}

const unread = (words: string): PageHint => ({ isSnippetPresent: null, words });
