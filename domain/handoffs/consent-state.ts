import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { MasterKey } from '@tributary/vault';
import { isUuid, limits, minuteMs } from '@tributary/vocabulary';
import type { Whereabouts } from './store.ts';

/**
 * What leads a consent back to its hand-off. The provider hands `state` back in the address, and the browser a cookie: only both together
 * show that the one who began is the one who ends. Nothing is stored, so that looking at a link writes nothing.
 */

interface Signed extends Whereabouts {
  /** In the cookie a random number, in the state its hash. */
  readonly browser: string;
  readonly expiresAt: number;
}

type Kind = 'state' | 'cookie';

export interface Begun {
  readonly state: string;
  readonly cookie: string;
  /** For providers that speak PKCE. */
  readonly codeChallenge: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

export function beginConsent(key: MasterKey, at: Whereabouts, now: Date): Begun {
  const browser = randomBytes(32).toString('base64url');
  const expiresAt = now.getTime() + limits.handoff.stateMinutes * minuteMs;
  return {
    state: sign(key, 'state', { ...at, browser: sha256(browser), expiresAt }),
    cookie: sign(key, 'cookie', { ...at, browser, expiresAt }),
    codeChallenge: sha256(verifierOf(key, browser)),
  };
}

/** Follows from the number in the cookie, so that it is kept nowhere. */
const verifierOf = (key: MasterKey, browser: string): string =>
  createHmac('sha256', key.bytes).update(`verifier.${browser}`).digest('base64url');

/** What came back, held against what was sent. */
export type Returned =
  | { readonly verdict: 'valid' | 'expired'; readonly at: Whereabouts; readonly codeVerifier: string }
  /** Signed by us, and too old. Browsers throw the cookie away at the same time, so it is not asked for. */
  | { readonly verdict: 'expired_elsewhere'; readonly at: Whereabouts }
  /** Another browser; or changed on the way, where only a cookie tells which hand-off was meant, if any does. */
  | { readonly verdict: 'invalid'; readonly at: Whereabouts | undefined };

export function readReturn(
  keys: readonly MasterKey[],
  { state, cookies }: { readonly state: string; readonly cookies: readonly string[] },
  now: Date,
): Returned {
  const sent = verify(keys, 'state', state);
  const own = cookies.flatMap((cookie) => verify(keys, 'cookie', cookie) ?? []);
  if (!sent) return { verdict: 'invalid', at: own.length === 1 ? whereOf(own[0]) : undefined };
  const at = whereOf(sent.signed);
  const isOld = sent.signed.expiresAt <= now.getTime();
  const matching = own.find(({ signed }) => signed.id === at.id && sha256(signed.browser) === sent.signed.browser);
  if (matching)
    return {
      verdict: isOld ? 'expired' : 'valid',
      at,
      codeVerifier: verifierOf(sent.key, matching.signed.browser),
    };
  return { verdict: isOld ? 'expired_elsewhere' : 'invalid', at };
}

interface Verified {
  readonly signed: Signed;
  readonly key: MasterKey;
}

function whereOf(found: Verified | Signed | undefined): Whereabouts {
  if (!found) throw new TypeError('There is no state.');
  const { profileId, workspaceId, id } = 'signed' in found ? found.signed : found;
  return { profileId, workspaceId, id };
}

function sign(key: MasterKey, kind: Kind, { id, profileId, workspaceId, browser, expiresAt }: Signed): string {
  const payload = Buffer.from(JSON.stringify([id, profileId, workspaceId, browser, expiresAt])).toString('base64url');
  return `${payload}.${signature(key, kind, payload).toString('base64url')}`;
}

const signature = (key: MasterKey, kind: Kind, payload: string): Buffer =>
  createHmac('sha256', key.bytes).update(`${kind}.${payload}`).digest();

/** A state that one of our keys has signed; a retired key's is a stranger's. */
function verify(keys: readonly MasterKey[], kind: Kind, text: string): Verified | undefined {
  const [payload = '', mac = '', ...rest] = text.length <= 1_000 ? text.split('.') : [];
  const given = Buffer.from(mac, 'base64url');
  const key = keys.find((one) => {
    const own = signature(one, kind, payload);
    return given.length === own.length && timingSafeEqual(given, own);
  });
  // A signature that is written in another way than ours is not ours.
  if (!key || rest.length > 0 || given.toString('base64url') !== mac) return undefined;
  const [id, profileId, workspaceId, browser, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString());
  if (![id, profileId, workspaceId].every(isUuid)) return undefined;
  return { signed: { id, profileId, workspaceId, browser, expiresAt }, key };
}

// ── The cookie ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** One for each hand-off, so that two may be open in one browser. With `__Host-` no neighbouring host can plant one. */
const cookiePrefix = (isSecure: boolean): string => `${isSecure ? '__Host-' : ''}connect-`;

export function cookieHeader(at: Whereabouts, value: string, isSecure: boolean): string {
  const life = `Max-Age=${limits.handoff.stateMinutes * 60}`;
  const name = `${cookiePrefix(isSecure)}${at.id}`;
  return [`${name}=${value}`, life, 'Path=/', 'HttpOnly', 'SameSite=Lax', ...(isSecure ? ['Secure'] : [])].join('; ');
}

/** More than anybody has open at once; somebody who sends a thousand makes us verify none of the others. */
const mostCookies = 20;

export function readCookies(header: string | null, isSecure: boolean): string[] {
  const prefix = cookiePrefix(isSecure);
  return (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .slice(0, mostCookies)
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
}
