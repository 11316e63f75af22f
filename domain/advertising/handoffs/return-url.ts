import type { HandoffProvider } from '@tributary/vocabulary';
import type { BounceOutcome } from './handoff.ts';

/** Rules for the URLs to which users are redirected after a consent. */

/** The registration of an app. */
export interface Registration {
  readonly redirectUris: readonly string[];
  /** Additional origins; a leading minus removes an origin. */
  readonly allowedReturnOrigins: readonly string[];
}

/** The origins of an app's redirect URIs, with the registered additions and removals. */
export function returnOrigins({ redirectUris, allowedReturnOrigins }: Registration): ReadonlySet<string> {
  const removed = allowedReturnOrigins.filter((entry) => entry.startsWith('-')).map((entry) => entry.slice(1));
  const added = [...redirectUris, ...allowedReturnOrigins.filter((entry) => !entry.startsWith('-'))];
  const origins = new Set(added.flatMap(getOrigin));
  for (const origin of removed.flatMap(getOrigin)) origins.delete(origin);
  return origins;
}

/** Returns the origin of a web URL only: all other URLs share the origin "null", so allowing one would allow all. */
function getOrigin(address: string): string[] {
  const url = URL.parse(address);
  return url && isWeb(url) ? [url.origin] : [];
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:';

/**
 * Parses a URL like a browser; undefined if users may not be redirected to it. The normalised URL is what is stored and
 * sent.
 */
export function readReturnUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url && isWeb(url) && url.username === '' && url.password === '' ? url : undefined;
}

export function mayReturnTo(text: string, registration: Registration): boolean {
  const url = readReturnUrl(text);
  return url !== undefined && returnOrigins(registration).has(url.origin);
}

/** The console page on which a member connects an account. */
export function isOwnConsole(text: string, baseUrl: string, profileId: string): boolean {
  const url = readReturnUrl(text);
  return url?.origin === new URL(baseUrl).origin && url.pathname === `/p/${profileId}/connections`;
}

export interface Bounce extends BounceOutcome {
  readonly provider: HandoffProvider;
  readonly profileId: string;
  readonly handoffId: string;
}

/** Appends the outcome to the return URL; the caller's own query stays unchanged. */
export function bounceUrl(returnUrl: string, bounce: Bounce): string {
  const url = new URL(returnUrl);
  const outcomeQuery = new URLSearchParams({
    // The former name of `provider`.
    connect: bounce.provider,
    provider: bounce.provider,
    status: bounce.status,
    profile_id: bounce.profileId,
    handoff_id: bounce.handoffId,
    ...(bounce.reason && { reason: bounce.reason }),
    ...(bounce.candidateCount !== undefined && { candidate_count: String(bounce.candidateCount) }),
  });
  url.search = url.search === '' ? `?${outcomeQuery}` : `${url.search}&${outcomeQuery}`;
  return url.href;
}
