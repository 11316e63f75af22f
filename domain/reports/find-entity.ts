import type { EntityLevel } from '@tributary/contract';
import { findEntitiesOfLevel, findEntityByExternalId } from '@tributary/domain/campaigns';
import { refuse } from '@tributary/operations';
import { nilUuid } from '@tributary/vocabulary';
import { isId } from './cursor.ts';
import type { Reading } from './services.ts';

type Asked = Omit<Reading, 'now'>;

/** Those of our ids that are entities of the level: told by somebody, or named by a click. */
export async function findKnown(ids: readonly string[], level: EntityLevel, asked: Asked): Promise<Set<string>> {
  const { caller, ledger, clickhouse, signal } = asked;
  const profileId = caller.profileId;
  const told = await ledger.transaction((tx) => findEntitiesOfLevel(tx, profileId, level, ids), { readOnly: true });
  const open = ids.filter((id) => !told.has(id));
  if (open.length === 0) return told;
  const clicked = await clickhouse.query(
    'source_find_entities',
    { profile_id: profileId, level, entity_ids: open, moment: 'now' },
    { signal },
  );
  return new Set([...told, ...clicked.map(({ entity_id }) => entity_id)]);
}

/** Our id of whatever the caller named, by our id or the platform's. Somebody else's is as unknown as one that never was. */
export async function findEntity(text: string, level: EntityLevel, asked: Asked): Promise<string | undefined> {
  const id = text.toLowerCase();
  if (isId(id) && (await findKnown([id], level, asked)).has(id)) return id;
  const { clickhouse, ledger, signal } = asked;
  const { profileId } = asked.caller;
  const told = await ledger.transaction((tx) => findEntityByExternalId(tx, profileId, level, text), { readOnly: true });
  if (told) return told;
  const named = { profile_id: profileId, level, external_id: text };
  const [clicked] = await clickhouse.query('entity_find_clicked', named, { signal });
  return clicked?.entity_id;
}

/** The same of a figure that is explained: nobody's is the nil UUID, everything undefined. */
export async function readEntityId(
  text: string | undefined,
  level: EntityLevel,
  asked: Asked,
): Promise<string | undefined> {
  if (text === undefined) return undefined;
  if (text === 'unattributed') return nilUuid;
  return (await findEntity(text, level, asked)) ?? refuse('not_found', 'There is no such campaign, ad set or ad.');
}

export function refuseUnknown(level: EntityLevel): never {
  if (level === 'campaign') refuse('campaign_not_found', 'There is no such campaign.');
  return refuse('not_found', `There is no such ${level === 'ad' ? 'ad' : 'ad set'}.`);
}
