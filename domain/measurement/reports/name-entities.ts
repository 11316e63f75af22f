import type { Moment, Row } from '@tributary/clickhouse';
import type { EntityLevel } from '@tributary/contract';
import type { Context } from '@tributary/operations';
import { nilUuid } from '@tributary/vocabulary';
import type { ReportServices } from './services.ts';

type EntityNameRow = Row<'entity_list_names'>;

/** Names of a campaign, ad set or ad and of its parents. Fields that were never reported are empty. */
export type EntityNames = Pick<
  EntityNameRow,
  'platform' | 'external_id' | 'name' | 'status' | 'objective' | 'currency' | 'daily_budget'
> &
  Pick<EntityNameRow, 'connection_id' | 'learning_stage_status'> & {
    readonly campaign_external_id: string;
    readonly campaign_name: string;
    readonly campaign_objective: string;
    readonly ad_set_external_id: string;
    readonly ad_set_name: string;
  };

type QueryContext = Pick<Context, 'signal'> & ReportServices;

/** A query parameter holds 128 KiB; an id takes 39 characters of it. */
const idsPerQuery = 3_000;

/** Adds the entity names of the given moment to the rows. */
export async function nameEntities<T extends { readonly entity_id: string }>(
  rows: readonly T[],
  { profileId, level, moment }: { readonly profileId: string; readonly level: EntityLevel; readonly moment: Moment },
  { clickhouse, signal }: QueryContext,
): Promise<(T & EntityNames)[]> {
  const of = { profile_id: profileId, ...moment };
  const read = async (ids: readonly string[]): Promise<ReadonlyMap<string, EntityNameRow>> => {
    const found = await readInChunks(ids, (some) =>
      clickhouse.query('entity_list_names', { ...of, entity_ids: some }, { signal }),
    );
    // Reported names win over names from clicks.
    return new Map(found.toSorted((a, b) => Number(a.is_told) - Number(b.is_told)).map((one) => [one.entity_id, one]));
  };
  const names = await read(rows.map(({ entity_id }) => entity_id));
  const parents = await read([
    ...new Set([...names.values()].flatMap(({ campaign_id, ad_set_id }) => [campaign_id, ad_set_id])).difference(
      new Set([nilUuid, ...names.keys()]),
    ),
  ]);
  const unnamedIds = rows.filter(({ entity_id }) => !names.get(entity_id)?.platform).map(({ entity_id }) => entity_id);
  const clicked = await readInChunks(unnamedIds, (some) =>
    clickhouse.query('source_find_entities', { ...of, level, entity_ids: some }, { signal }),
  );
  const platforms = new Map(clicked.map(({ entity_id, platform }) => [entity_id, platform]));
  return rows.map((row) => {
    const own = names.get(row.entity_id) ?? unknownEntity;
    // A campaign has itself as campaign_id and an ad set itself as ad_set_id; neither is its own parent.
    const above = (id: string) =>
      id === row.entity_id ? unknownEntity : (parents.get(id) ?? names.get(id) ?? unknownEntity);
    const [campaign, adSet] = [above(own.campaign_id), above(own.ad_set_id)];
    return {
      ...row,
      platform: own.platform || (platforms.get(row.entity_id) ?? ''),
      external_id: own.external_id,
      name: own.name,
      status: own.status,
      objective: own.objective,
      currency: own.currency,
      daily_budget: own.daily_budget,
      connection_id: own.connection_id,
      learning_stage_status: own.learning_stage_status,
      campaign_external_id: campaign.external_id,
      campaign_name: campaign.name,
      campaign_objective: campaign.objective,
      ad_set_external_id: adSet.external_id,
      ad_set_name: adSet.name,
    };
  });
}

const unknownEntity: Omit<EntityNameRow, 'entity_id' | 'is_told'> = {
  platform: '',
  external_id: '',
  name: '',
  status: '',
  objective: '',
  currency: '',
  daily_budget: null,
  connection_id: nilUuid,
  learning_stage_status: '',
  campaign_id: nilUuid,
  ad_set_id: nilUuid,
};

async function readInChunks<T>(ids: readonly string[], read: (some: readonly string[]) => Promise<T[]>): Promise<T[]> {
  const found: T[] = [];
  for (let from = 0; from < ids.length; from += idsPerQuery)
    found.push(...(await read(ids.slice(from, from + idsPerQuery))));
  return found;
}
