import type { EntityLevel } from '@tributary/contract';
import { findEntitiesOfLevel, findEntityByExternalId } from '@tributary/domain/advertising/campaigns';
import { refuse } from '@tributary/operations';
import { nilUuid } from '@tributary/vocabulary';
import { isId } from './cursor.ts';
import type { ReportContext } from './services.ts';

type EntityLookup = Omit<ReportContext, 'now'>;

/** The given ids that are entities of the level: reported by a platform or named by a click. */
export async function findExistingIds(
  ids: readonly string[],
  level: EntityLevel,
  context: EntityLookup,
): Promise<Set<string>> {
  const { caller, ledger, clickhouse, signal } = context;
  const profileId = caller.profileId;
  const reported = await ledger.transaction((tx) => findEntitiesOfLevel(tx, profileId, level, ids), { readOnly: true });
  const unresolved = ids.filter((id) => !reported.has(id));
  if (unresolved.length === 0) return reported;
  const clicked = await clickhouse.query(
    'source_find_entities',
    { profile_id: profileId, level, entity_ids: unresolved, moment: 'now' },
    { signal },
  );
  return new Set([...reported, ...clicked.map(({ entity_id }) => entity_id)]);
}

/** Resolves our id or the platform's id to our id. Another profile's entity is treated as unknown. */
export async function findEntity(text: string, level: EntityLevel, context: EntityLookup): Promise<string | undefined> {
  const id = text.toLowerCase();
  if (isId(id) && (await findExistingIds([id], level, context)).has(id)) return id;
  const { clickhouse, ledger, signal } = context;
  const { profileId } = context.caller;
  const reported = await ledger.transaction((tx) => findEntityByExternalId(tx, profileId, level, text), {
    readOnly: true,
  });
  if (reported) return reported;
  const named = { profile_id: profileId, level, external_id: text };
  const [clicked] = await clickhouse.query('entity_find_clicked', named, { signal });
  return clicked?.entity_id;
}

/** Resolves the entity of an explained figure: nil UUID for unattributed, undefined for the total. */
export async function readEntityId(
  text: string | undefined,
  level: EntityLevel,
  context: EntityLookup,
): Promise<string | undefined> {
  if (text === undefined) return undefined;
  if (text === 'unattributed') return nilUuid;
  return (await findEntity(text, level, context)) ?? refuse('not_found', 'There is no such campaign, ad set or ad.');
}

export function refuseUnknown(level: EntityLevel): never {
  if (level === 'campaign') refuse('campaign_not_found', 'There is no such campaign.');
  return refuse('not_found', `There is no such ${level === 'ad' ? 'ad' : 'ad set'}.`);
}
