import type { Tx } from '@tributary/postgres';
import type { AdActionKind, AdActionStage, AdActionState, EntityLevel } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { AdState, Wanted } from './ad-state.ts';

/** Identifies a campaign, ad set or ad. */
export interface Entity {
  readonly platform: string;
  readonly level: EntityLevel;
  readonly externalId: string;
}

export interface Action extends Entity {
  readonly id: string;
  readonly kind: AdActionKind;
  readonly connectionId: string;
  readonly fingerprint: Buffer;
  readonly actorKind: string;
  readonly actorId: string;
  readonly appliedBy: string | null;
  readonly requestId: string;
  readonly wanted: Wanted;
  readonly undoes: string | null;
  readonly state: AdActionState;
  readonly before: AdState | null;
  readonly after: AdState | null;
  readonly affectedAds: number | null;
  readonly reason: string | null;
  readonly createdAt: Date;
  readonly sentAt: Date | null;
  readonly holder: string | null;
  readonly dueAt: Date | null;
  readonly looks: number;
}

export const columns = sql`id, kind, platform, level, external_id AS "externalId", connection_id AS "connectionId", fingerprint,
  actor_kind AS "actorKind", actor_id AS "actorId", applied_by AS "appliedBy", request_id AS "requestId", wanted, undoes, state, before,
  after, affected_ads AS "affectedAds", reason, created_at AS "createdAt", sent_at AS "sentAt", holder, due_at AS "dueAt", looks`;

const one = async (tx: Tx, condition: ReturnType<typeof sql>): Promise<Action | undefined> =>
  (await sql<Action>`SELECT ${columns} FROM ad_actions WHERE ${condition}`.execute(tx)).rows[0];

export const findByKey = (tx: Tx, profileId: string, keyHash: Buffer): Promise<Action | undefined> =>
  one(tx, sql`profile_id = ${profileId} AND key_hash = ${keyHash}`);

export const findAction = (tx: Tx, profileId: string, id: string): Promise<Action | undefined> =>
  one(tx, sql`profile_id = ${profileId} AND id = ${id}`);

const ofEntity = (profileId: string, { platform, level, externalId }: Entity) =>
  sql`profile_id = ${profileId} AND platform = ${platform} AND level = ${level} AND external_id = ${externalId}`;

/** The action in progress for an entity. */
export const findInProgress = (tx: Tx, profileId: string, entity: Entity): Promise<Action | undefined> =>
  one(tx, sql`${ofEntity(profileId, entity)} AND due_at IS NOT NULL`);

/** Our last applied action of these kinds. */
export const findLastApplied = (
  tx: Tx,
  profileId: string,
  entity: Entity,
  kinds: readonly AdActionKind[],
): Promise<Action | undefined> =>
  one(
    tx,
    sql`${ofEntity(profileId, entity)} AND state = 'applied' AND kind = ANY (${kinds}::text[]) ORDER BY turn DESC LIMIT 1`,
  );

/** When the budget was or may have been changed since a moment, earliest first. */
export async function findBudgetChanges(tx: Tx, profileId: string, entity: Entity, since: Date): Promise<Date[]> {
  const { rows } = await sql<{ sentAt: Date }>`
    SELECT sent_at AS "sentAt" FROM ad_actions WHERE ${ofEntity(profileId, entity)} AND kind = 'budget'
      AND state IN ('applied', 'unknown') AND sent_at > ${since} ORDER BY sent_at LIMIT 100`.execute(tx);
  return rows.map(({ sentAt }) => sentAt);
}

export type NewAction = Pick<
  Action,
  | 'id'
  | 'kind'
  | 'platform'
  | 'level'
  | 'externalId'
  | 'connectionId'
  | 'fingerprint'
  | 'actorKind'
  | 'actorId'
  | 'appliedBy'
  | 'requestId'
> & { readonly keyHash: Buffer };

/** Serialises new actions per campaign, ad set or ad. */
export async function lockEntity(tx: Tx, profileId: string, { platform, level, externalId }: Entity): Promise<void> {
  const lockKey = JSON.stringify([profileId, platform, level, externalId]);
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${lockKey}, 9082))`.execute(tx);
}

/** Requires the lock of the entity and no action in progress. Undefined if another request used the key meanwhile. */
export async function beginAction(
  tx: Tx,
  profileId: string,
  action: NewAction,
  holder: string,
  now: Date,
  dueAt: Date,
): Promise<Action | undefined> {
  const { rows } = await sql<Action>`
    INSERT INTO ad_actions (profile_id, id, kind, platform, level, external_id, connection_id, key_hash, fingerprint, actor_kind,
      actor_id, applied_by, request_id, wanted, state, created_at, holder, due_at)
    VALUES (${profileId}, ${action.id}, ${action.kind}, ${action.platform}, ${action.level}, ${action.externalId}, ${action.connectionId},
      ${action.keyHash}, ${action.fingerprint}, ${action.actorKind}, ${action.actorId}, ${action.appliedBy}, ${action.requestId},
      '{}', 'reading', ${now}, ${holder}, ${dueAt})
    ON CONFLICT DO NOTHING RETURNING ${columns}`.execute(tx);
  return rows[0];
}

/** Restarts an action that changed nothing, under its key. Requires the lock of the entity and no action in progress. */
export async function restartAction(
  tx: Tx,
  profileId: string,
  action: NewAction,
  holder: string,
  dueAt: Date,
): Promise<Action | undefined> {
  const { rows } = await sql<Action>`
    UPDATE ad_actions SET state = 'reading', holder = ${holder}, due_at = ${dueAt}, reason = NULL, sent_at = NULL, looks = 0,
      connection_id = ${action.connectionId}
    WHERE profile_id = ${profileId} AND id = ${action.id} AND state IN ('refused', 'failed')
    RETURNING ${columns}`.execute(tx);
  return rows[0];
}

export interface Entry {
  readonly stage: AdActionStage;
  readonly before?: AdState | null;
  readonly after?: AdState | null;
  readonly reason?: string | null;
  readonly providerCode?: string | null;
}

async function addEntry(
  tx: Tx,
  profileId: string,
  action: { readonly id: string },
  entry: Entry,
  requestId: string,
  now: Date,
): Promise<void> {
  const { stage, before = null, after = null, reason = null, providerCode = null } = entry;
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  await sql`
    INSERT INTO ad_action_entries (profile_id, id, action_id, stage, before, after, reason, provider_code, request_id, at)
    VALUES (${profileId}, ${uuid()}, ${action.id}, ${stage}, ${json(before)}::jsonb, ${json(after)}::jsonb, ${reason}, ${providerCode},
      ${requestId}, ${now})`.execute(tx);
}

export interface SentChange {
  readonly wanted: Wanted;
  readonly before: AdState;
  readonly after: AdState;
  readonly affectedAds: number;
  readonly undoes: string | null;
}

/** Adds the entry before the platform is called. Undefined if another process holds the action now. */
export async function markSent(
  tx: Tx,
  profileId: string,
  action: Action,
  change: SentChange,
  requestId: string,
  now: Date,
  dueAt: Date,
): Promise<Action | undefined> {
  const { wanted, before, after, affectedAds, undoes } = change;
  const { rows } = await sql<Action>`
    UPDATE ad_actions SET state = 'sent', sent_at = ${now}, due_at = ${dueAt}, before = ${JSON.stringify(before)}::jsonb,
      after = ${JSON.stringify(after)}::jsonb, affected_ads = ${affectedAds}, undoes = ${undoes},
      wanted = ${JSON.stringify(wanted)}::jsonb,
      turn = 1 + (SELECT coalesce(max(turn), 0) FROM ad_actions WHERE ${ofEntity(profileId, action)})
    WHERE profile_id = ${profileId} AND id = ${action.id} AND state = 'reading' AND holder = ${action.holder}
    RETURNING ${columns}`.execute(tx);
  if (rows[0]) await addEntry(tx, profileId, action, { stage: 'attempted', before, after }, requestId, now);
  return rows[0];
}

/** Adds the entry after the call and ends the action. Undefined if it has ended already or another process holds it. */
export async function endAction(
  tx: Tx,
  profileId: string,
  action: Action,
  entry: Entry & { readonly stage: Exclude<AdActionStage, 'attempted'> },
  requestId: string,
  now: Date,
): Promise<Action | undefined> {
  const { stage, reason = null } = entry;
  const states =
    entry.before && entry.after
      ? sql`, before = ${JSON.stringify(entry.before)}::jsonb, after = ${JSON.stringify(entry.after)}::jsonb`
      : sql``;
  const { rows } = await sql<Action>`
    UPDATE ad_actions SET state = ${stage}, due_at = NULL, reason = ${reason}${states}
    WHERE profile_id = ${profileId} AND id = ${action.id} AND state = ${action.state} AND holder = ${action.holder}
    RETURNING ${columns}`.execute(tx);
  if (rows[0]) await addEntry(tx, profileId, action, entry, requestId, now);
  return rows[0];
}

/** Overdue actions. */
export async function findDue(tx: Tx, profileId: string, now: Date, limit: number): Promise<Action[]> {
  const { rows } = await sql<Action>`
    SELECT ${columns} FROM ad_actions WHERE profile_id = ${profileId} AND due_at <= ${now} ORDER BY due_at LIMIT ${limit}`.execute(
    tx,
  );
  return rows;
}

/** When the next action of a profile is due. */
export async function nextDue(tx: Tx, profileId: string): Promise<Date | null> {
  const { rows } = await sql<{ due: Date | null }>`
    SELECT min(due_at) AS due FROM ad_actions WHERE profile_id = ${profileId} AND due_at < 'infinity'`.execute(tx);
  return rows[0]?.due ?? null;
}

/** Takes an action over from its holder, which then cannot write any more. Undefined if it has ended meanwhile. */
export async function claimAction(
  tx: Tx,
  profileId: string,
  action: Action,
  holder: string,
  dueAt: Date,
): Promise<Action | undefined> {
  const { rows } = await sql<Action>`
    UPDATE ad_actions SET holder = ${holder}, due_at = ${dueAt}, looks = looks + 1
    WHERE profile_id = ${profileId} AND id = ${action.id} AND state = ${action.state} AND holder = ${action.holder}
    RETURNING ${columns}`.execute(tx);
  return rows[0];
}

export async function setDue(tx: Tx, profileId: string, id: string, due: Date | 'infinity'): Promise<void> {
  await sql`UPDATE ad_actions SET due_at = ${due} WHERE profile_id = ${profileId} AND id = ${id} AND due_at IS NOT NULL`.execute(
    tx,
  );
}
