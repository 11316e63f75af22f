import { type Input, type Routes, routes, Scope } from '@tributary/contract';
import { findWorkspaceOf, isHealthcareProfile, isTestProfile, type StepUp } from '@tributary/domain/tenancy/tenants';
import {
  type Actor,
  actorOf,
  answer,
  type Handles,
  type Operator,
  type RouteInput,
  readBody,
  refuse,
} from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { limits, personScopes } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { memberOf, toKeyResponse } from './api-key.ts';
import { findUserNames } from './creators.ts';
import { hashSecret, mintSecret } from './secret.ts';
import { insertKey } from './store.ts';

type Body = Input<Routes['createKey']>['body'];

export const createKey: Handles<Routes['createKey'], StepUp> = async ({ body }, context) => {
  const { effect, caller, now, addToAudit } = context;
  // Opt-in scopes: an app gets them through its grant, a member has to name them explicitly.
  const grantable = caller.kind === 'session' && !body.scopes ? withoutOptIn(caller.scopes) : caller.scopes;
  const scopes = decideScopes(body.scopes, grantable, caller.isHealthcare);
  if (caller.kind === 'session' && scopes.some(showsPeople))
    await context.assertPassword(body.current_password, 'createKey', context);
  const profileId = caller.profileId;
  return effect(async (tx) => {
    addToAudit({ detail: { scopes } });
    return mintKey(tx, { ...body, scopes, profileId, appId: caller.appId }, actorOf(caller), now);
  });
};

/** The operator may grant every scope that a key can hold. Returns the secret; only its hash is stored. */
export async function createKeyByOperator(
  operator: Operator,
  profileId: string,
  sent: RouteInput<Routes['createKey']>,
): Promise<{ id: string; key: string }> {
  const body = readBody(routes.createKey, sent);
  const { body: created } = await operator.effect(routes.createKey, { profileId }, async (tx, addToAudit) => {
    const workspaceId = await findWorkspaceOf(tx, profileId);
    if (!workspaceId) return refuse('not_found', 'There is no such profile.');
    const scopes = decideScopes(body.scopes, new Set(Scope.options), await isHealthcareProfile(tx, profileId));
    addToAudit({ log: { workspaceId }, detail: { scopes } });
    return mintKey(tx, { ...body, scopes, profileId }, operator.actor, operator.now);
  });
  return { id: created.data.id, key: created.data.key };
}

interface NewKey extends Body {
  readonly scopes: Scope[];
  readonly profileId: string;
  readonly appId?: string | undefined;
}

async function mintKey(tx: Tx, key: NewKey, by: Actor, now: Date) {
  const secret = mintSecret((await isTestProfile(tx, key.profileId)) ? 'testKey' : 'apiKey');
  const row = await insertKey(tx, {
    profile_id: key.profileId,
    id: uuid(),
    app_id: key.appId ?? null,
    name: key.name,
    hash: hashSecret(secret),
    prefix: secret.slice(0, 14),
    last4: secret.slice(-4),
    scopes: key.scopes,
    requests_per_minute: key.rate_limit_per_minute ?? limits.ratePerMinute.apiKey.default,
    is_rate_set: key.rate_limit_per_minute !== undefined,
    minted_by_kind: by.kind,
    minted_by_id: by.id,
    created_at: now,
    expires_at: key.expires_at ? new Date(key.expires_at) : null,
  });
  const names = await findUserNames(tx, [memberOf(row)]);
  return answer(201, { data: { ...toKeyResponse(row, names), key: secret }, meta: {} });
}

/** Administrative scopes that no key can hold. */
const administrativeScopes: ReadonlySet<Scope> = new Set(['profiles:write', 'workspaces:write']);

const withoutOptIn = (held: ReadonlySet<Scope>): ReadonlySet<Scope> =>
  new Set([...held].filter((scope) => !showsPeople(scope) && scope !== 'campaigns:apply'));

const showsPeople = (scope: Scope) => personScopes.includes(scope);

/** The new key's scopes: the requested ones, by default all, limited to the scopes of its creator. */
function decideScopes(
  requested: readonly Scope[] | undefined,
  held: ReadonlySet<Scope>,
  isHealthcare: boolean,
): Scope[] {
  const allowed = [...held].filter(
    (scope) => !administrativeScopes.has(scope) && !(isHealthcare && showsPeople(scope)),
  );
  if (!requested)
    return allowed.length > 0
      ? allowed.sort()
      : refuse('insufficient_scope', 'The grant holds no scope that a key could carry.');
  if (isHealthcare && requested.some(showsPeople)) {
    refuse('healthcare_scope_forbidden', 'This profile counts as healthcare: a key on it never shows people.');
  }
  const missing = requested.filter((scope) => !allowed.includes(scope));
  if (missing.length > 0) {
    refuse('insufficient_scope', `The grant does not hold ${missing.join(', ')}.`, {
      fields: { required_scopes: missing },
    });
  }
  return [...new Set(requested)].sort();
}
