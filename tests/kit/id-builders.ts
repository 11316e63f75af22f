import { OAuthScope } from '@tributary/contract';
import { loadDefinitions, upsertStages } from '@tributary/domain/commerce/definitions/module.ts';
import { hashSecret, mintSecret, registerApp } from '@tributary/domain/tenancy/credentials/module.ts';
import { mintTrackingKey } from '@tributary/domain/traffic/tracking/module.ts';
import type { Schema } from '@tributary/postgres';
import { type IdKind, nilUuid } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { buildAdEntity } from './ad-builders.ts';
import { type BuiltProfile, buildProfile, type ProfileTraits } from './builders.ts';
import { buildConnection } from './connection-builders.ts';
import { buildErasure } from './erasure-builders.ts';
import { buildExperiment } from './experiment-builders.ts';
import { buildHandoff } from './handoff-builders.ts';
import { buildMerge, buildMergeProposal, buildReconciliation } from './identity-builders.ts';
import { buildApiKey, buildReportMail, buildSavedView, buildSharedLink } from './keys.ts';
import { testVault } from './operation-deps.ts';
import { operatorOf } from './operator.ts';
import { buildAssistant, buildMember } from './people.ts';
import { buildSaleBatch, buildSaleMatch, buildSaleSource } from './sale-builders.ts';
import type { Testkit } from './testkit.ts';
import { buildDelivery, buildWebhook } from './webhook-builders.ts';

/** The part of a testkit that the builders need. */
export type BuilderKit = Pick<Testkit, 'app' | 'owner'>;

/** A profile with its own app. All of its texts contain one mark, so that a test can detect them in another tenant's responses. */
export interface MarkedProfile extends BuiltProfile {
  readonly appId: string;
  readonly clientSecret: string;
  readonly mark: string;
}

const longAgo = new Date('2026-01-01T00:00:00Z');
const farAhead = new Date('9000-01-01T00:00:00Z');

export async function buildMarkedProfile(kit: BuilderKit, traits: ProfileTraits = {}): Promise<MarkedProfile> {
  const { id, workspaceId } = await buildProfile(kit.app, traits);
  const mark = `mark-${id.slice(-12)}`;
  // Apps have no row-level security: only the owner of the schema, which is the operator's role, may write them.
  const operator = operatorOf({ app: kit.app, owner: kit.owner, clock: { now: () => longAgo } });
  const app = { name: `App ${mark}`, redirectUris: [], allowedReturnOrigins: [], rateTier: 'internal' } as const;
  const { clientId: appId, clientSecret } = await registerApp(operator, app);
  const there = await kit.owner.shardOf(id);
  await there.unbound.transaction(async (tx) => {
    await tx
      .updateTable('profiles')
      .set({ name: `Profile ${mark}`, governing_app_id: appId })
      .where('id', '=', id)
      .execute();
    // A workspace that the caller passed in already has its name.
    if (!traits.workspaceId)
      await tx
        .updateTable('workspaces')
        .set({ name: `Workspace ${mark}`, provisioned_by: appId })
        .where('id', '=', workspaceId)
        .execute();
  });
  const grant = { profile_id: id, app_id: appId, oauth_scopes: OAuthScope.options };
  await kit.app.forProfile(id).transaction((tx) =>
    tx
      .insertInto('grants')
      .values({ ...grant, created_at: longAgo, updated_at: longAgo })
      .execute(),
  );
  return { id, workspaceId, appId, clientSecret, mark };
}

/** Creates an entity of its kind that belongs to the profile or is visible to it, and resolves to its id. */
export interface IdBuilder {
  (kit: BuilderKit, profile: MarkedProfile): Promise<string>;
  /** The table that this builder waits for; until it exists, the id is a random one. */
  readonly notYet?: string;
}

/** For a kind of id whose table does not exist yet. Stops compiling once the table exists: then its builder must be written. */
export function notYet<const Table extends string>(table: Table extends keyof Schema ? never : Table): IdBuilder {
  return Object.assign(async () => uuid(), { notYet: table });
}

/** One builder for each kind of id that a request can name. A kind without a builder does not compile. */
export const idBuilders: { readonly [Kind in IdKind]: IdBuilder } = {
  profile: async (_kit, { id }) => id,
  workspace: async (_kit, { workspaceId }) => workspaceId,
  app: async (_kit, { appId }) => appId,
  api_key: async (kit, { id: profileId, appId, mark }) => {
    const { id } = await buildApiKey(kit.app, profileId, { appId });
    const name = `Key ${mark}`;
    await kit.app
      .forProfile(profileId)
      .transaction((tx) => tx.updateTable('api_keys').set({ name }).where('id', '=', id).execute());
    return id;
  },
  report_mail: (kit, { id: profileId }) => buildReportMail(kit.app, profileId),
  saved_view: (kit, { id: profileId }) => buildSavedView(kit.app, profileId),
  shared_view: async (kit, { id: profileId }) => (await buildSharedLink(kit.app, profileId)).id,
  customer: async (kit, { id: profileId, mark }) => {
    const id = uuid();
    const person = {
      profile_id: profileId,
      id,
      first_name: mark,
      last_name: mark,
      primary_email: `${id}@${mark}.test`,
    };
    const times = { first_seen_at: longAgo, last_seen_at: longAgo, created_at: longAgo };
    await kit.app.forProfile(profileId).transaction(async (tx) => {
      await tx
        .insertInto('customers')
        .values({ ...person, sources: ['test'], terms: [mark], ...times })
        .execute();
      // Gives the customer an outcome, so that a response about this customer differs from one about an unknown customer.
      await tx
        .insertInto('outcomes')
        .values(outcomeOf(profileId, id, mark))
        .execute();
      await tx
        .insertInto('journey_summaries')
        .values(summaryOf(profileId, id, mark))
        .execute();
    });
    return id;
  },
  customer_key: async (kit, profile) => {
    const customerId = await idBuilders.customer(kit, profile);
    const value = uuid();
    const columns = { kind: 'external_customer_id', value, source: 'test', said_at: longAgo };
    await kit.app.forProfile(profile.id).transaction((tx) =>
      tx
        .insertInto('identifiers')
        .values({ profile_id: profile.id, customer_id: customerId, ...columns })
        .execute(),
    );
    return value;
  },
  conversion: async (kit, profile) => {
    const outcome = outcomeOf(profile.id, await idBuilders.customer(kit, profile), profile.mark);
    await kit.app.forProfile(profile.id).transaction((tx) => tx.insertInto('outcomes').values(outcome).execute());
    return outcome.id;
  },
  goal_definition: (kit, { id: profileId, mark }) =>
    kit.app.forProfile(profileId).transaction(async (tx) => {
      // Loads the default definitions too, because the only definition of a profile cannot be deleted.
      await loadDefinitions(tx, profileId, longAgo);
      const id = uuid();
      const goal = { conversion_type: mark, counts_as_cash: false, is_attribution_eligible: true, is_default: false };
      await tx
        .insertInto('definitions')
        .values({
          ...{ profile_id: profileId, id, key: `goal_${id}`, name: mark, lookback_window_days: 30 },
          ...goal,
          ...{ created_at: longAgo, updated_at: longAgo },
        })
        .execute();
      return id;
    }),
  outcome_definition: (kit, { id: profileId, mark }) =>
    kit.app.forProfile(profileId).transaction(async (tx) => {
      const stage = { pipelineId: mark, stageId: mark, name: mark, suggestion: null };
      const [stored] = await upsertStages(tx, profileId, 'crm_a', [stage], longAgo);
      return stored?.id as string;
    }),
  payment: async (kit, profile) => {
    const outcome = outcomeOf(profile.id, await idBuilders.customer(kit, profile), profile.mark);
    const event = { event_key: 'payment_received', event_type_key: 'payment_received' };
    await kit.app.forProfile(profile.id).transaction(async (tx) => {
      await loadDefinitions(tx, profile.id, longAgo);
      await tx
        .insertInto('outcomes')
        .values({ ...outcome, ...event, amount: '100', currency: 'USD' })
        .execute();
    });
    return outcome.id;
  },
  sale_match: (kit, profile) => buildSaleMatch(kit, profile.id, () => idBuilders.payment(kit, profile)),
  sale_batch: (kit, { id: profileId }) => buildSaleBatch(kit, profileId),
  sale_source: (kit, { id: profileId }) => buildSaleSource(kit, profileId),
  reconciliation: buildReconciliation,
  merge: (kit, profile) => buildMerge(kit, profile, () => idBuilders.customer(kit, profile)),
  merge_proposal: (kit, profile) => buildMergeProposal(kit, profile, () => idBuilders.customer(kit, profile)),
  erasure: buildErasure,
  tracking_key: async (kit, { id: profileId }) => {
    const id = uuid();
    // A profile has at most one active key, so the previous one is replaced.
    await kit.app.forProfile(profileId).transaction(async (tx) => {
      await tx
        .updateTable('tracking_keys')
        .set({ revoked_at: longAgo })
        .where('profile_id', '=', profileId)
        .where('revoked_at', 'is', null)
        .execute();
      await tx
        .insertInto('tracking_keys')
        .values({ profile_id: profileId, id, key: mintTrackingKey(), created_at: longAgo })
        .execute();
    });
    return id;
  },
  tracking_domain: async (kit, { id: profileId, mark }) => {
    const id = uuid();
    const domain = { profile_id: profileId, id, domain: `${id}.${mark}.shop.cl`, status: 'pending' };
    await kit.app.forProfile(profileId).transaction((tx) =>
      tx
        .insertInto('tracking_domains')
        .values({ ...domain, created_at: longAgo })
        .execute(),
    );
    return id;
  },
  connection: (kit, profile) => buildConnection(kit, profile),
  webhook_subscription: buildWebhook,
  webhook_delivery: buildDelivery,
  handoff: buildHandoff,
  experiment: buildExperiment,
  ad_entity: async (kit, profile) => (await buildAdEntity(kit, profile, 'campaign')).id,
  ad: async (kit, profile) => (await buildAdEntity(kit, profile, 'ad')).id,
  platform_campaign: async (kit, profile) => (await buildAdEntity(kit, profile, 'campaign')).externalId,
  platform_ad_set: async (kit, profile) => (await buildAdEntity(kit, profile, 'ad_set')).externalId,
  platform_ad: async (kit, profile) => (await buildAdEntity(kit, profile, 'ad')).externalId,
  invitation: async (kit, { workspaceId, mark }) => {
    const id = uuid();
    const invitation = { workspace_id: workspaceId, id, hash: hashSecret(mintSecret('invitation')), role: 'viewer' };
    const times = { created_at: longAgo, expires_at: farAhead };
    await kit.app.forWorkspace(workspaceId).transaction((tx) =>
      tx
        .insertInto('invitations')
        .values({ ...invitation, email: `${id}@${mark}.test`, ...times })
        .execute(),
    );
    return id;
  },
  member: async (kit, { workspaceId, mark }) =>
    (await buildMember(kit.app, workspaceId, 'viewer', `${mark}.test`)).userId,
  session: async (kit, { workspaceId, mark }) =>
    ((await signedIn(kit, workspaceId)) ?? (await buildMember(kit.app, workspaceId, 'viewer', `${mark}.test`)))
      .sessionId,
  passkey: async (kit, { workspaceId, mark }) => {
    const person =
      (await signedIn(kit, workspaceId)) ?? (await buildMember(kit.app, workspaceId, 'viewer', `${mark}.test`));
    const id = uuid();
    await kit.app.unbound.transaction((tx) =>
      tx
        .insertInto('passkeys')
        .values({
          id,
          user_id: person.userId,
          name: `Passkey ${mark}`,
          credential_id: uuid(),
          public_key: '',
          counter: 0,
          device_type: 'singleDevice',
          backed_up: false,
          created_at: longAgo,
        })
        .execute(),
    );
    return id;
  },
  assistant: async (kit, { id: profileId, workspaceId, mark }) => {
    // Uses the member who signed in last: an assistant belongs to a user, and only that user can revoke it.
    const person =
      (await signedIn(kit, workspaceId)) ?? (await buildMember(kit.app, workspaceId, 'viewer', `${mark}.test`));
    const { clientId } = await buildAssistant(kit.app, person, profileId);
    const { id } = await kit.app.unbound.transaction((tx) =>
      tx.selectFrom('oauth_consents').select('id').where('client_id', '=', clientId).executeTakeFirstOrThrow(),
    );
    return id;
  },
};

function outcomeOf(profileId: string, customerId: string, mark: string) {
  const id = uuid();
  const event = `lead ${mark}`;
  return {
    profile_id: profileId,
    id,
    idempotency_key: `${mark} ${id}`,
    event_name: event,
    event_type: event,
    event_key: event,
    event_type_key: event,
    customer_id: customerId,
    occurred_at: longAgo,
    recorded_at: longAgo,
    updated_at: longAgo,
    rest: JSON.stringify({}),
  };
}

const summaryOf = (profileId: string, customerId: string, mark: string) => ({
  profile_id: profileId,
  person_id: customerId,
  sealed: testVault.seal(`They came. ${mark}`, {
    table: 'journey_summaries',
    column: 'sealed',
    row: customerId,
    profileId,
  }),
  model: 'test-model',
  generated_at: longAgo,
  events_used: 1,
  is_truncated: false,
});

/** The member of the workspace who signed in last. */
async function signedIn({ app }: BuilderKit, workspaceId: string) {
  const members = await app
    .forWorkspace(workspaceId)
    .transaction((tx) => tx.selectFrom('members').select('user_id').where('workspace_id', '=', workspaceId).execute());
  return app.home.unbound.transaction((tx) =>
    tx
      .selectFrom('sessions')
      .select(['user_id as userId', 'id as sessionId'])
      .where('user_id', 'in', [...members.map(({ user_id }) => user_id), nilUuid])
      .orderBy('user_id', 'desc')
      .executeTakeFirst(),
  );
}
