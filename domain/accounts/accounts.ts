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
  /** Derived from the vault's keys, so that there is no further secret to keep; newest first. */
  readonly keys: () => readonly Key[];
  readonly passwordMinLength: number;
  readonly sessionDays: number;
  readonly isCookieSecure: boolean;
  readonly idleMinutes: number;
  readonly noteUse: SessionRules['noteUse'];
  readonly attempts: Attempts;
  readonly audit: WriteAudit;
  /** Bounds what is written down of failed attempts. */
  readonly isFirstOfMinute: (subject: string) => Promise<boolean>;
}

/** Guesses at somebody's password, by where they come from (a hash of the address). */
export interface Attempts {
  /** Counts one before it is looked at, and refuses when there were too many. */
  take(subject: string, place: string): Promise<void>;
  /** It was right. */
  right(subject: string, place: string): Promise<void>;
}

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

/** What the account routes share. */
export interface Accounts extends SessionRules {
  readonly passwords: Passwords;
  readonly attempts: Attempts;
  readonly records: Records;
  /** Undefined when address or password are wrong, without a word on which. */
  signIn(email: string, password: string): Promise<SignedIn | Challenged | undefined>;
  readonly secondFactor: SecondFactor;
  readonly passkeys: Passkeys;
  /** What is kept of the token in a cookie that was just made. */
  hashOf(setCookie: string): string;
  /** What makes a browser forget its session. */
  readonly forgetCookie: string;
  /** better-auth itself, for the OAuth endpoints that assistants speak. */
  readonly auth: () => Promise<Auth>;
}

/** The password is right, and a code is asked for. */
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

/** The version must stay the key's when a newer key is put before it. */
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
    // An address that is none is wrong, too.
    if (isAuthRefusal(error)) return undefined;
    throw error;
  }
}
