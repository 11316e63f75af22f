import type { Routes, Scope } from '@tributary/contract';
import { audit } from '@tributary/domain/accountability';
import { answer, type Handles, refuse } from '@tributary/operations';
import { personScopes } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { showKey } from './api-key.ts';
import { hashSecret, mintSecret } from './secret.ts';

export const createKey: Handles<Routes['createKey']> = async ({ body }, { effect, caller, now, requestId }) => {
  const scopes = decideScopes(body.scopes, caller.scopes, caller.kind === 'app' && caller.isHealthcare);
  return effect(async (tx) => {
    const secret = mintSecret('apiKey');
    const row = await tx
      .insertInto('api_keys')
      .values({
        profile_id: caller.profileId,
        id: uuid(),
        app_id: caller.appId ?? null,
        name: body.name,
        hash: hashSecret(secret),
        prefix: secret.slice(0, 14),
        last4: secret.slice(-4),
        scopes,
        requests_per_minute: body.rate_limit_per_minute,
        created_at: now,
        expires_at: body.expires_at ? new Date(body.expires_at) : null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await audit(tx, caller, requestId, now, {
      workspaceId: caller.workspaceId,
      action: 'key.created',
      target: `api_key:${row.id}`,
      detail: { scopes },
    });
    return answer(201, { data: { ...showKey(row), key: secret } });
  });
};

/** Scopes that only administer are never lent to a key. */
const neverLent: ReadonlySet<Scope> = new Set(['profiles:write', 'workspaces:write']);

/** What the new key may hold: what was asked for, or all, of what the one who mints it holds. */
function decideScopes(asked: readonly Scope[] | undefined, held: ReadonlySet<Scope>, isHealthcare: boolean): Scope[] {
  const lendable = [...held].filter((scope) => !neverLent.has(scope));
  if (!asked)
    return lendable.length > 0
      ? lendable.sort()
      : refuse('insufficient_scope', 'The grant holds no scope that a key could carry.');
  if (isHealthcare && asked.some((scope) => personScopes.includes(scope))) {
    refuse('healthcare_scope_forbidden', 'This profile counts as healthcare: a key on it never shows people.');
  }
  const missing = asked.filter((scope) => !lendable.includes(scope));
  if (missing.length > 0) {
    refuse('insufficient_scope', `The grant does not hold ${missing.join(', ')}.`, {
      fields: { required_scopes: missing },
    });
  }
  return [...new Set(asked)].sort();
}
