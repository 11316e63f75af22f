import type { HandoffProvider } from '@tributary/vocabulary';
import type { Told } from './handoff.ts';

/** Where somebody may be sent when a consent has ended. */

/** What an app was registered with. */
export interface Registration {
  readonly redirectUris: readonly string[];
  /** Further origins; one with a minus before it is taken away. */
  readonly allowedReturnOrigins: readonly string[];
}

/** The origins of an app's own redirect addresses, with those added or taken away that it was registered with. */
export function returnOrigins({ redirectUris, allowedReturnOrigins }: Registration): ReadonlySet<string> {
  const without = allowedReturnOrigins.filter((entry) => entry.startsWith('-')).map((entry) => entry.slice(1));
  const named = [...redirectUris, ...allowedReturnOrigins.filter((entry) => !entry.startsWith('-'))];
  const origins = new Set(named.flatMap(originOf));
  for (const origin of without.flatMap(originOf)) origins.delete(origin);
  return origins;
}

/** Of a web address only: all others have the same origin "null", and one of them would let in every one. */
function originOf(address: string): string[] {
  const url = URL.parse(address);
  return url && isWeb(url) ? [url.origin] : [];
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:';

/** Reads an address as a browser does; undefined for what nobody is sent to. What comes out is what is stored and sent. */
export function readReturnUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url && isWeb(url) && url.username === '' && url.password === '' ? url : undefined;
}

export function mayReturnTo(text: string, registration: Registration): boolean {
  const url = readReturnUrl(text);
  return url !== undefined && returnOrigins(registration).has(url.origin);
}

/** The page of the console from which a member connects an account of their own. */
export function isOwnConsole(text: string, baseUrl: string, profileId: string): boolean {
  const url = readReturnUrl(text);
  return url?.origin === new URL(baseUrl).origin && url.pathname === `/p/${profileId}/connections`;
}

export interface Bounce extends Told {
  readonly provider: HandoffProvider;
  readonly profileId: string;
  readonly handoffId: string;
}

/** The caller's address with what became of the hand-off behind its own query, which stays as it is. */
export function bounceUrl(returnUrl: string, bounce: Bounce): string {
  const url = new URL(returnUrl);
  const ours = new URLSearchParams({
    // What `provider` was called earlier.
    connect: bounce.provider,
    provider: bounce.provider,
    status: bounce.status,
    profile_id: bounce.profileId,
    handoff_id: bounce.handoffId,
    ...(bounce.reason && { reason: bounce.reason }),
    ...(bounce.candidateCount !== undefined && { candidate_count: String(bounce.candidateCount) }),
  });
  url.search = url.search === '' ? `?${ours}` : `${url.search}&${ours}`;
  return url.href;
}
