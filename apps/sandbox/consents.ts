import { createHash, randomBytes } from 'node:crypto';

/** What a person agreed to at a company. */
export interface Grant {
  readonly id: string;
  /** The folder of the company: `meta`. */
  readonly of: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** What they chose to share. */
  readonly accounts: readonly string[];
  readonly codeChallenge?: string | undefined;
}

export type TokenKind = 'access' | 'refresh';
export type Refusal = 'unknown' | 'expired' | 'revoked' | 'used';

interface Kept {
  readonly grant: Grant;
  readonly kind: 'code' | TokenKind;
  readonly expiresAt: number;
  isUsed: boolean;
}

const codeMs = 10 * 60_000;

/** Codes and tokens of all companies. Who a token belongs to is looked up here; what a refusal looks like is the company's. */
export class Consents {
  readonly #kept = new Map<string, Kept>();
  readonly #revoked = new Set<string>();
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Every code and token that was ever given. */
  given(): string[] {
    return [...this.#kept.keys()];
  }

  /** As if a person had agreed just now. */
  grant(agreed: Omit<Grant, 'id'>): Grant {
    return { id: randomBytes(8).toString('hex'), ...agreed };
  }

  codeFor(grant: Grant): string {
    return this.#keep(grant, 'code', 'code', codeMs);
  }

  /** Single use, for the same client and redirect only (TikTok asks for no redirect), with the verifier where a challenge was given. */
  redeem(
    code: string,
    by: { readonly clientId: string; readonly redirectUri?: string; readonly codeVerifier?: string | undefined },
  ): Grant | Refusal {
    const kept = this.#find(code, 'code');
    if (typeof kept === 'string') return kept;
    const { grant } = kept;
    kept.isUsed = true;
    if (grant.clientId !== by.clientId || grant.redirectUri !== (by.redirectUri ?? grant.redirectUri)) return 'unknown';
    if (grant.codeChallenge !== undefined && grant.codeChallenge !== challengeOf(by.codeVerifier ?? ''))
      return 'unknown';
    return grant;
  }

  /** `lastsMs` undefined: without an end. */
  token(grant: Grant, kind: TokenKind, prefix: string, lastsMs?: number): string {
    return this.#keep(grant, kind, prefix, lastsMs);
  }

  find(token: string | undefined, kind: TokenKind, of: string): Grant | Refusal {
    const kept = this.#find(token ?? '', kind);
    if (typeof kept === 'string') return kept;
    return kept.grant.of === of ? kept.grant : 'unknown';
  }

  /** When a token ends, in ms; Infinity: never. */
  endOf(token: string): number {
    return this.#kept.get(token)?.expiresAt ?? 0;
  }

  /** A refresh token that is replaced at every use: whoever brings it again is refused. */
  use(token: string, of: string): Grant | Refusal {
    const grant = this.find(token, 'refresh', of);
    const kept = this.#kept.get(token);
    if (typeof grant !== 'string' && kept) kept.isUsed = true;
    return grant;
  }

  /** The person takes the agreement back: none of its tokens works any more. */
  revoke(grant: Grant): void {
    this.#revoked.add(grant.id);
  }

  /** The person takes back whatever they agreed to for an account. */
  revokeAll(of: string, account: string): void {
    for (const { grant } of this.#kept.values()) {
      if (grant.of === of && grant.accounts.includes(account)) this.revoke(grant);
    }
  }

  /** One token dies, whatever its end was: a password changed, a session was closed. */
  forget(token: string): void {
    this.#kept.delete(token);
  }

  #find(token: string, kind: Kept['kind']): Kept | Refusal {
    const kept = this.#kept.get(token);
    if (kept?.kind !== kind) return 'unknown';
    if (this.#revoked.has(kept.grant.id)) return 'revoked';
    if (kept.expiresAt <= this.#now().getTime()) return 'expired';
    return kept.isUsed ? 'used' : kept;
  }

  #keep(grant: Grant, kind: Kept['kind'], prefix: string, lastsMs = Number.POSITIVE_INFINITY): string {
    const token = `${prefix}${randomBytes(24).toString('hex')}`;
    this.#kept.set(token, { grant, kind, expiresAt: this.#now().getTime() + lastsMs, isUsed: false });
    return token;
  }
}

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');
