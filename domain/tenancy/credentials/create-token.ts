import { timingSafeEqual } from 'node:crypto';
import { OAuthScope, type Routes, type Scope, scopesOfGrant, Uuid } from '@tributary/contract';
import { reachProfile } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { effectiveScopes } from '@tributary/rules';
import { limits, oauthScopes, unboundAppScopes } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { hashSecret, mintSecret } from './secret.ts';
import { findSecretHash, issueToken } from './store.ts';

const { lifeSeconds } = limits.appToken;

export const createToken: Handles<Routes['createToken']> = async ({ body }, { ledger, authorization, now }) => {
  if (body.grant_type !== 'client_credentials')
    refuse('invalid_parameter', 'The field "grant_type" must be client_credentials.', {
      fields: { field: 'grant_type' },
    });
  const client = readClient(authorization, body);
  return ledger.transaction(async (tx) => {
    const appId = await authenticateApp(tx, client);
    const requested = readScopes(body.scope);
    const { profileId, scopes } =
      body.profile_id === undefined ? unbound(requested) : await bound(tx, appId, body.profile_id, requested);
    const token = mintSecret('appToken');
    const expiresAt = new Date(now.getTime() + lifeSeconds * 1_000);
    await issueToken(tx, { id: uuid(), hash: hashSecret(token), appId, profileId, scopes, expiresAt }, now);
    return answer(200, {
      access_token: token,
      token_type: 'Bearer' as const,
      expires_in: lifeSeconds,
      scope: scopes.join(' '),
    });
  });
};

interface Client {
  readonly id: string;
  readonly secret: string;
}

/** RFC 6749, 2.3.1: the header, whose parts are form-encoded, or the form; the header wins. */
function readClient(
  authorization: string | undefined,
  form: { client_id?: string | undefined; client_secret?: string | undefined },
): Client {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  if (!encoded) return { id: form.client_id ?? '', secret: form.client_secret ?? '' };
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 2).map(decodeFormValue);
  return { id, secret };
}

function decodeFormValue(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return '';
  }
}

/** Compares the secret even for an unknown app, so that the response time does not reveal whether the app exists. */
async function authenticateApp(tx: Tx, { id, secret }: Client): Promise<string> {
  const hash = await findSecretHash(tx, Uuid.safeParse(id).success ? id : unknownAppId);
  const matches = timingSafeEqual(hash ?? Buffer.alloc(32), hashSecret(secret));
  if (!hash || !matches)
    refuse('unauthorized', 'The client id or secret is wrong.', { headers: { 'www-authenticate': 'Basic' } });
  return id;
}

const unknownAppId = '00000000-0000-7000-8000-000000000000';

function readScopes(text: string | undefined): OAuthScope[] | undefined {
  const names = text?.split(' ').filter((name) => name !== '');
  if (!names || names.length === 0) return undefined;
  return names.map((name) => {
    const parsed = OAuthScope.safeParse(name);
    return parsed.success
      ? parsed.data
      : refuse('validation_error', `The field "scope" may hold ${Object.keys(oauthScopes).join(', ')}.`, {
          fields: { field: 'scope' },
        });
  });
}

/** The scopes of a token that is bound to no profile: enough to create one. */
function unbound(requested: OAuthScope[] | undefined): { profileId: null; scopes: Scope[] } {
  if (requested)
    refuse('validation_error', 'The field "scope" needs a "profile_id": scopes are granted on a profile.', {
      fields: { field: 'scope' },
    });
  return { profileId: null, scopes: [...unboundAppScopes] };
}

async function bound(
  tx: Tx,
  appId: string,
  profileId: string,
  requested: OAuthScope[] | undefined,
): Promise<{ profileId: string; scopes: Scope[] }> {
  const reached = Uuid.safeParse(profileId).success ? await reachProfile(tx, appId, profileId) : undefined;
  if (!reached) return refuse('not_found', 'There is no such profile.');
  if (reached.isHealthcare && requested?.includes('analytics_pii')) {
    refuse(
      'healthcare_scope_forbidden',
      'This profile counts as healthcare: ask for "analytics", which shows no people.',
    );
  }
  const granted = new Set(reached.oauthScopes as OAuthScope[] | null);
  const missing = requested?.filter((scope) => !granted.has(scope)) ?? [];
  if (missing.length > 0) refuse('insufficient_scope', `The app is not granted ${missing.join(', ')} on this profile.`);
  const held = scopesOfGrant(requested ?? granted, false);
  return { profileId, scopes: [...effectiveScopes(held, held, reached.isHealthcare)].sort() };
}
