import { crc32 } from 'node:zlib';
import type { WriteAudit } from '@tributary/operations';
import type { Postgres } from '@tributary/postgres';
import { type Auth, type AuthSecret, isAuthRefusal, lazyAuth, sessionCookie } from './auth.ts';
import { hashToken } from './hashed-sessions.ts';
import { createPasskeys, type Passkeys } from './passkeys.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import { createRecords, type Records } from './records.ts';
import { type SecondFactor, type SignedIn, secondFactor } from './second-factor.ts';
import { readToken, type SessionRules } from './session.ts';

export interface AccountsOptions {
  readonly baseUrl: string;
  readonly postgres: Postgres;
  /** Derived from the vault's keys, so that no further secret is needed. Newest first. */
  readonly keys: () => readonly Key[];
  readonly passwordMinLength: number;
  readonly sessionDays: number;
  readonly isCookieSecure: boolean;
  readonly idleMinutes: number;
  readonly noteUse: SessionRules['noteUse'];
  readonly attempts: Attempts;
  readonly audit: WriteAudit;
  /** Limits audit entries of failed attempts. */
  readonly isFirstOfMinute: (subject: string) => Promise<boolean>;
}

/** Rate limit of password attempts by account and source (a hash of the address). */
export interface Attempts {
  /** Counts an attempt before the password is checked, and refuses when there were too many. */
  take(subject: string, place: string): Promise<void>;
  /** Records that the attempt succeeded. */
  right(subject: string, place: string): Promise<void>;
}

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

/** Services shared by the account routes. */
export interface Accounts extends SessionRules {
  readonly passwords: Passwords;
  readonly attempts: Attempts;
  readonly records: Records;
  /** Returns undefined when the address or the password is wrong, without revealing which. */
  signIn(email: string, password: string): Promise<SignedIn | Challenged | undefined>;
  readonly secondFactor: SecondFactor;
  readonly passkeys: Passkeys;
  /** The stored hash of the token in a new session cookie. */
  hashOf(setCookie: string): string;
  /** The Set-Cookie value that deletes the session cookie. */
  readonly forgetCookie: string;
  /** The better-auth instance, for the OAuth endpoints. */
  readonly auth: () => Promise<Auth>;
}

/** The password is correct, and a second-factor code is required. */
export interface Challenged {
  readonly challenge: string;
}

export function createAccounts(options: AccountsOptions): Accounts {
  const passwords = createPasswords(options.passwordMinLength);
  const cookie = sessionCookie(options.isCookieSecure);
  const auth = lazyAuth({
    baseUrl: options.baseUrl,
    postgres: options.postgres,
    passwords,
    cookie,
    secrets: () => options.keys().map(authSecret),
    sessionSeconds: options.sessionDays * 86_400,
  });
  const second = secondFactor(auth, cookie.name);
  return {
    passwords,
    cookie,
    idleMinutes: options.idleMinutes,
    noteUse: options.noteUse,
    secondFactor: second,
    passkeys: createPasskeys(auth, cookie.name, options.baseUrl),
    hashOf: (setCookie) => hashToken(readToken(setCookie, cookie.name) ?? ''),
    attempts: options.attempts,
    records: createRecords(options),
    signIn: async (email, password) => signIn(await auth(), second, email, password),
    forgetCookie: `${cookie.name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${cookie.isSecure ? '; Secure' : ''}`,
    auth,
  };
}

/** Derives the version from the key id, so that it stays the same when a newer key is put before it. */
const authSecret = ({ id, bytes }: Key): AuthSecret => ({ version: crc32(id), value: bytes.toString('base64url') });

async function signIn(
  auth: Auth,
  second: SecondFactor,
  email: string,
  password: string,
): Promise<SignedIn | Challenged | undefined> {
  try {
    const { headers, response } = await auth.api.signInEmail({ body: { email, password }, returnHeaders: true });
    const challenge = second.challengeOf(headers);
    if (challenge) return { challenge };
    const { id, name } = response.user;
    return { user: { id, name, email: response.user.email }, setCookie: headers.get('set-cookie') ?? '' };
  } catch (error) {
    // Includes malformed addresses.
    if (isAuthRefusal(error)) return undefined;
    throw error;
  }
}
