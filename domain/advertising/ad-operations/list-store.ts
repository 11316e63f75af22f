import { findNames } from '@tributary/domain/advertising/campaigns';
import type { Tx } from '@tributary/postgres';
import { entityIdOf } from '@tributary/rules';
import { type AdActionKind, type AdActionStage, type AdActionState, limits } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { type Action, columns } from './store.ts';

export interface ListedEntry {
  readonly actionId: string;
  readonly stage: AdActionStage;
  readonly at: Date;
  readonly reason: string | null;
  readonly providerCode: string | null;
  readonly requestId: string;
}

export interface ListedAction {
  readonly action: Action;
  /** The platform's name. */
  readonly name: string | null;
  readonly entries: readonly ListedEntry[];
}

export interface ActionFilter {
  readonly kinds?: readonly AdActionKind[] | undefined;
  readonly state?: AdActionState | undefined;
  readonly externalId?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Actions with their entries and entity names, newest first. */
export async function listActions(tx: Tx, profileId: string, filter: ActionFilter): Promise<ListedAction[]> {
  const { kinds = null, state = null, externalId = null, before = null, limit } = filter;
  const { rows: actions } = await sql<Action>`
    SELECT ${columns} FROM ad_actions WHERE profile_id = ${profileId}
      AND (${before}::uuid IS NULL OR id < ${before}::uuid) AND (${kinds}::text[] IS NULL OR kind = ANY (${kinds}::text[]))
      AND (${state}::text IS NULL OR state = ${state}) AND (${externalId}::text IS NULL OR external_id = ${externalId})
    ORDER BY id DESC LIMIT ${limit}`.execute(tx);
  const { rows: entries } = await sql<ListedEntry>`
    SELECT e.* FROM unnest(${actions.map(({ id }) => id)}::uuid[]) AS a (id)
    CROSS JOIN LATERAL (
      SELECT action_id AS "actionId", stage, at, reason, provider_code AS "providerCode", request_id AS "requestId"
      FROM ad_action_entries WHERE profile_id = ${profileId} AND action_id = a.id ORDER BY id DESC LIMIT ${limits.adActions.entries}
    ) e`.execute(tx);
  const byAction = Map.groupBy(entries, ({ actionId }) => actionId);
  const idOf = ({ platform, level, externalId: id }: Action) => entityIdOf(profileId, platform, level, id);
  const names = await findNames(tx, profileId, actions.map(idOf));
  return actions.map((action) => ({
    action,
    name: names.get(idOf(action)) ?? null,
    entries: (byAction.get(action.id) ?? []).toReversed(),
  }));
}
