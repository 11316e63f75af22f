import { createHash, randomBytes } from 'node:crypto';

/** A user's consent at a company. */
export interface Grant {
  readonly id: string;
  /** The company's folder: `meta`. */
  readonly of: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** The accounts that the user shared. */
  readonly accounts: readonly string[];
  readonly codeChallenge?: string | undefined;
}

export type TokenKind = 'access' | 'refresh';
export type Refusal = 'unknown' | 'expired' | 'revoked' | 'used';

interface StoredToken {
  readonly grant: Grant;
  readonly kind: 'code' | TokenKind;
  readonly expiresAt: number;
  isUsed: boolean;
}

const codeMs = 10 * 60_000;

/** Codes and tokens of all companies. This class decides who owns a token; each company formats its own refusals. */
export class Consents {
  readonly #tokens = new Map<string, StoredToken>();
  readonly #revoked = new Set<string>();
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Every code and token ever issued. */
  given(): string[] {
    return [...this.#tokens.keys()];
  }

  /** Creates a grant as if a user had just consented. */
  grant(consent: Omit<Grant, 'id'>): Grant {
    return { id: randomBytes(8).toString('hex'), ...consent };
  }

  codeFor(grant: Grant): string {
    return this.#store(grant, 'code', 'code', codeMs);
  }

  /** Redeems a code once, for the same client and redirect (TikTok sends no redirect), and with the verifier if there was a challenge. */
  redeem(
    code: string,
    by: { readonly clientId: string; readonly redirectUri?: string; readonly codeVerifier?: string | undefined },
  ): Grant | Refusal {
    const stored = this.#find(code, 'code');
    if (typeof stored === 'string') return stored;
    const { grant } = stored;
    stored.isUsed = true;
    if (grant.clientId !== by.clientId || grant.redirectUri !== (by.redirectUri ?? grant.redirectUri)) return 'unknown';
    if (grant.codeChallenge !== undefined && grant.codeChallenge !== challengeOf(by.codeVerifier ?? ''))
      return 'unknown';
    return grant;
  }

  /** `lastsMs` undefined: the token never expires. */
  token(grant: Grant, kind: TokenKind, prefix: string, lastsMs?: number): string {
    return this.#store(grant, kind, prefix, lastsMs);
  }

  find(token: string | undefined, kind: TokenKind, of: string): Grant | Refusal {
    const stored = this.#find(token ?? '', kind);
    if (typeof stored === 'string') return stored;
    return stored.grant.of === of ? stored.grant : 'unknown';
  }

  /** When a token expires, in ms; Infinity: never. */
  endOf(token: string): number {
    return this.#tokens.get(token)?.expiresAt ?? 0;
  }

  /** Uses a refresh token that is rotated at every use: using it a second time is refused. */
  use(token: string, of: string): Grant | Refusal {
    const grant = this.find(token, 'refresh', of);
    const stored = this.#tokens.get(token);
    if (typeof grant !== 'string' && stored) stored.isUsed = true;
    return grant;
  }

  /** Revokes a grant: all of its tokens stop working. */
  revoke(grant: Grant): void {
    this.#revoked.add(grant.id);
  }

  revokeAll(of: string, account: string): void {
    for (const { grant } of this.#tokens.values()) {
      if (grant.of === of && grant.accounts.includes(account)) this.revoke(grant);
    }
  }

  /** Invalidates one token before its expiry, as a changed password or a closed session does. */
  forget(token: string): void {
    this.#tokens.delete(token);
  }

  #find(token: string, kind: StoredToken['kind']): StoredToken | Refusal {
    const stored = this.#tokens.get(token);
    if (stored?.kind !== kind) return 'unknown';
    if (this.#revoked.has(stored.grant.id)) return 'revoked';
    if (stored.expiresAt <= this.#now().getTime()) return 'expired';
    return stored.isUsed ? 'used' : stored;
  }

  #store(grant: Grant, kind: StoredToken['kind'], prefix: string, lastsMs = Number.POSITIVE_INFINITY): string {
    const token = `${prefix}${randomBytes(24).toString('hex')}`;
    this.#tokens.set(token, { grant, kind, expiresAt: this.#now().getTime() + lastsMs, isUsed: false });
    return token;
  }
}

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');
