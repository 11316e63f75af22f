import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { MasterKey } from '@tributary/vault';
import { isUuid, limits, minuteMs } from '@tributary/vocabulary';
import type { HandoffLocation } from './store.ts';

/**
 * Links a consent back to its hand-off. The provider returns `state` in the URL and the browser sends a cookie; only
 * both together prove that the same browser started and finished. Nothing is stored, so opening a link writes nothing.
 */

interface SignedState extends HandoffLocation {
  /** A random number in the cookie, its hash in the state. */
  readonly browser: string;
  readonly expiresAt: number;
}

type Kind = 'state' | 'cookie';

export interface StartedConsent {
  readonly state: string;
  readonly cookie: string;
  /** For providers that use PKCE. */
  readonly codeChallenge: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

export function beginConsent(key: MasterKey, at: HandoffLocation, now: Date): StartedConsent {
  const browser = randomBytes(32).toString('base64url');
  const expiresAt = now.getTime() + limits.handoff.stateMinutes * minuteMs;
  return {
    state: sign(key, 'state', { ...at, browser: sha256(browser), expiresAt }),
    cookie: sign(key, 'cookie', { ...at, browser, expiresAt }),
    codeChallenge: sha256(deriveVerifier(key, browser)),
  };
}

/** Derived from the number in the cookie, so that it is not stored. */
const deriveVerifier = (key: MasterKey, browser: string): string =>
  createHmac('sha256', key.bytes).update(`verifier.${browser}`).digest('base64url');

/** The result of verifying a returned consent. */
export type VerifiedReturn =
  | { readonly verdict: 'valid' | 'expired'; readonly at: HandoffLocation; readonly codeVerifier: string }
  /** Correctly signed but expired. The cookie expires at the same time, so it is not required. */
  | { readonly verdict: 'expired_elsewhere'; readonly at: HandoffLocation }
  /** Another browser, or a modified state, in which case a cookie may still identify the hand-off. */
  | { readonly verdict: 'invalid'; readonly at: HandoffLocation | undefined };

export function verifyReturn(
  keys: readonly MasterKey[],
  { state, cookies }: { readonly state: string; readonly cookies: readonly string[] },
  now: Date,
): VerifiedReturn {
  const sent = verify(keys, 'state', state);
  const signedCookies = cookies.flatMap((cookie) => verify(keys, 'cookie', cookie) ?? []);
  if (!sent) return { verdict: 'invalid', at: signedCookies.length === 1 ? toLocation(signedCookies[0]) : undefined };
  const at = toLocation(sent.signed);
  const isExpired = sent.signed.expiresAt <= now.getTime();
  const matching = signedCookies.find(
    ({ signed }) => signed.id === at.id && sha256(signed.browser) === sent.signed.browser,
  );
  if (matching)
    return {
      verdict: isExpired ? 'expired' : 'valid',
      at,
      codeVerifier: deriveVerifier(sent.key, matching.signed.browser),
    };
  return { verdict: isExpired ? 'expired_elsewhere' : 'invalid', at };
}

interface VerifiedState {
  readonly signed: SignedState;
  readonly key: MasterKey;
}

function toLocation(found: VerifiedState | SignedState | undefined): HandoffLocation {
  if (!found) throw new TypeError('There is no state.');
  const { profileId, workspaceId, id } = 'signed' in found ? found.signed : found;
  return { profileId, workspaceId, id };
}

function sign(key: MasterKey, kind: Kind, { id, profileId, workspaceId, browser, expiresAt }: SignedState): string {
  const payload = Buffer.from(JSON.stringify([id, profileId, workspaceId, browser, expiresAt])).toString('base64url');
  return `${payload}.${signature(key, kind, payload).toString('base64url')}`;
}

const signature = (key: MasterKey, kind: Kind, payload: string): Buffer =>
  createHmac('sha256', key.bytes).update(`${kind}.${payload}`).digest();

/** Verifies a signed state; one signed with a retired key is invalid. */
function verify(keys: readonly MasterKey[], kind: Kind, text: string): VerifiedState | undefined {
  const [payload = '', mac = '', ...rest] = text.length <= 1_000 ? text.split('.') : [];
  const received = Buffer.from(mac, 'base64url');
  const key = keys.find((one) => {
    const expected = signature(one, kind, payload);
    return received.length === expected.length && timingSafeEqual(received, expected);
  });
  // Refuses non-canonical encodings of a signature.
  if (!key || rest.length > 0 || received.toString('base64url') !== mac) return undefined;
  const [id, profileId, workspaceId, browser, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString());
  if (![id, profileId, workspaceId].every(isUuid)) return undefined;
  return { signed: { id, profileId, workspaceId, browser, expiresAt }, key };
}

// ── The cookie ──────────────────────────────────────────────────────────────────────────────────────────────

/** One cookie per hand-off, so that several can be open in one browser. With `__Host-` no related host can set one. */
const cookiePrefix = (isSecure: boolean): string => `${isSecure ? '__Host-' : ''}connect-`;

export function cookieHeader(at: HandoffLocation, value: string, isSecure: boolean): string {
  const life = `Max-Age=${limits.handoff.stateMinutes * 60}`;
  const name = `${cookiePrefix(isSecure)}${at.id}`;
  return [`${name}=${value}`, life, 'Path=/', 'HttpOnly', 'SameSite=Lax', ...(isSecure ? ['Secure'] : [])].join('; ');
}

/** Limits the work of verifying cookies; a browser rarely has more hand-offs open at once. */
const maxCookies = 20;

export function readCookies(header: string | null, isSecure: boolean): string[] {
  const prefix = cookiePrefix(isSecure);
  return (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .slice(0, maxCookies)
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
}
