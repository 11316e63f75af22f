import { answer, type Operator, refuse } from '@tributary/operations';
import type { AppRateTier } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { hashSecret, mintSecret } from './secret.ts';
import { insertApp, markAppDisabled, replaceAppSecret, updateAppRow } from './store.ts';

/** Apps are registered by the operator with the role that owns the schema. No request can create or change one. */
export interface AppRegistration {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly allowedReturnOrigins: readonly string[];
  readonly rateTier: AppRateTier;
}

const registering = { id: 'registerApp', audit: { action: 'app.registered', of: 'app:{data.id}' } } as const;
const updating = { id: 'updateApp', audit: { action: 'app.updated', of: 'app:{data.id}' } } as const;
const resetting = { id: 'resetAppSecret', audit: { action: 'app.secret_reset', of: 'app:{data.id}' } } as const;
const disabling = { id: 'disableApp', audit: { action: 'app.disabled', of: 'app:{data.id}' } } as const;
const scope = { asOwner: true, onAllServers: true } as const;

/** Returns the client secret; only its hash is stored. */
export async function registerApp(
  operator: Operator,
  registration: AppRegistration,
): Promise<{ clientId: string; clientSecret: string }> {
  const clientId = uuid();
  const clientSecret = mintSecret('clientSecret');
  await operator.effect(registering, scope, async (tx, addToAudit) => {
    await insertApp(tx, {
      id: clientId,
      name: registration.name,
      client_secret_hash: hashSecret(clientSecret),
      redirect_uris: [...registration.redirectUris],
      allowed_return_origins: originsOf(registration.allowedReturnOrigins),
      rate_tier: registration.rateTier,
      created_at: operator.now,
    });
    addToAudit({ detail: { rate_tier: registration.rateTier } });
    return answer(201, { data: { id: clientId } });
  });
  return { clientId, clientSecret };
}

/** Changes only the given fields. Applies from the commit on, also to hand-offs created before. */
export async function updateApp(
  operator: Operator,
  clientId: string,
  { name, redirectUris, allowedReturnOrigins, rateTier }: Partial<AppRegistration>,
): Promise<void> {
  const changes = {
    ...(name !== undefined && { name }),
    ...(redirectUris && { redirect_uris: redirectUris.filter((uri) => uri !== '') }),
    ...(allowedReturnOrigins && { allowed_return_origins: originsOf(allowedReturnOrigins) }),
    ...(rateTier && { rate_tier: rateTier }),
  };
  if (Object.keys(changes).length === 0) refuse('invalid_parameter', 'Say what is to be changed.');
  await operator.effect(updating, scope, async (tx, addToAudit) => {
    const changed = await updateAppRow(tx, clientId, changes);
    addToAudit({ detail: { changed: Object.keys(changes) } });
    return changed ? answer(200, { data: changed }) : refuse('not_found', `There is no live app ${clientId}.`);
  });
}

/** Normalises entries to URL origins. A leading minus excludes an origin that a redirect URI would otherwise allow. */
function originsOf(entries: readonly string[]): string[] {
  return entries
    .filter((entry) => entry !== '')
    .map((entry) => {
      const sign = entry.startsWith('-') ? '-' : '';
      const url = URL.parse(entry.slice(sign.length));
      if (!url || !/^https?:$/.test(url.protocol))
        refuse('invalid_parameter', `${entry} is no origin. Write it like https://app.example.com.`);
      return `${sign}${url.origin}`;
    });
}

export async function resetAppSecret(operator: Operator, clientId: string): Promise<string> {
  const clientSecret = mintSecret('clientSecret');
  await operator.effect(resetting, scope, async (tx) => {
    const changed = await replaceAppSecret(tx, clientId, hashSecret(clientSecret));
    return changed ? answer(200, { data: changed }) : refuse('not_found', `There is no app ${clientId}.`);
  });
  return clientSecret;
}

/** Disables the app: its tokens and keys stop working with the commit. */
export async function disableApp(operator: Operator, clientId: string): Promise<void> {
  await operator.effect(disabling, scope, async (tx) => {
    const changed = await markAppDisabled(tx, clientId, operator.now);
    return changed ? answer(200, { data: changed }) : refuse('not_found', `There is no live app ${clientId}.`);
  });
}
