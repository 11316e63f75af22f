import { type OAuthScope, type Scope, scopesOfGrant } from '@tributary/contract';
import type { Caller } from '@tributary/operations';
import { effectiveScopes } from '@tributary/rules';
import { type CredentialFinder, findCredential } from './find-credentials.ts';
import { hashSecret, isWellFormedSecret } from './secret.ts';
import type { FoundCredential } from './store.ts';

export interface AuthenticateOptions {
  readonly credentials: CredentialFinder;
  /** Whether keys minted under an older attribution grant may still connect providers. */
  readonly isSwapWindowOpen: (now: Date) => boolean;
  readonly onKeyUsed?: (keyId: string, now: Date) => void;
}

/** Resolves a bearer secret to a caller; undefined if it is not a live credential. */
export function bearerAuthenticator({ credentials, isSwapWindowOpen, onKeyUsed }: AuthenticateOptions) {
  return async (authorization: string | undefined, now: Date): Promise<Caller | undefined> => {
    const secret = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (!secret || !isWellFormedSecret(secret, 'apiKey', 'testKey', 'appToken')) return undefined;
    const found = await credentials.find(hashSecret(secret), now);
    if (found?.kind === 'api_key') onKeyUsed?.(found.credential_id, now);
    return found && callerOf(found, isSwapWindowOpen, now);
  };
}

/** Computes the effective scopes on each use: the key's scopes, limited by the current grant and the privacy mode. */
function callerOf(found: FoundCredential, isSwapWindowOpen: (now: Date) => boolean, now: Date): Caller {
  const minted = found.scopes as Scope[];
  // An unknown profile counts as healthcare.
  const isHealthcare = found.is_healthcare ?? true;
  const granted =
    found.granted === null ? new Set(minted) : scopesOfGrant(found.granted as OAuthScope[], isSwapWindowOpen(now));
  return {
    kind: found.kind,
    credentialId: found.credential_id,
    ...(found.profile_id && { profileId: found.profile_id }),
    ...(found.workspace_id && { workspaceId: found.workspace_id }),
    ...(found.app_id && { appId: found.app_id }),
    scopes: effectiveScopes(minted, granted, isHealthcare),
    isEntitled: found.is_attribution_enabled,
    isHealthcare,
    requestsPerMinute: found.requests_per_minute,
    isRateSet: found.is_rate_set,
    recheck: async (tx, then) => {
      const again = await findCredential(tx, found.hash, then);
      return again && callerOf(again, isSwapWindowOpen, then);
    },
  };
}
