import type { Moment, Row } from '@tributary/clickhouse';
import type { EntityLevel } from '@tributary/contract';
import type { Context } from '@tributary/operations';
import { nilUuid } from '@tributary/vocabulary';
import type { ReportServices } from './services.ts';

type Told = Row<'entity_list_names'>;

/** What a campaign, ad set or ad is called, and those above it. What nobody told is empty. */
export type Named = Pick<
  Told,
  'platform' | 'external_id' | 'name' | 'status' | 'objective' | 'currency' | 'daily_budget'
> &
  Pick<Told, 'connection_id' | 'learning_stage_status'> & {
    readonly campaign_external_id: string;
    readonly campaign_name: string;
    readonly campaign_objective: string;
    readonly ad_set_external_id: string;
    readonly ad_set_name: string;
  };

type Asking = Pick<Context, 'signal'> & ReportServices;

/** A parameter of a query holds 128 KiB; an id has 39 characters in it. */
const idsOfParameter = 3_000;

/** The same rows with what their entities are called at the moment. */
export async function nameEntities<T extends { readonly entity_id: string }>(
  rows: readonly T[],
  { profileId, level, moment }: { readonly profileId: string; readonly level: EntityLevel; readonly moment: Moment },
  { clickhouse, signal }: Asking,
): Promise<(T & Named)[]> {
  const of = { profile_id: profileId, ...moment };
  const read = async (ids: readonly string[]): Promise<ReadonlyMap<string, Told>> => {
    const found = await inTurn(ids, (some) =>
      clickhouse.query('entity_list_names', { ...of, entity_ids: some }, { signal }),
    );
    // What was told of an entity says more than a click that named it.
    return new Map(found.toSorted((a, b) => Number(a.is_told) - Number(b.is_told)).map((one) => [one.entity_id, one]));
  };
  const names = await read(rows.map(({ entity_id }) => entity_id));
  const parents = await read([
    ...new Set([...names.values()].flatMap(({ campaign_id, ad_set_id }) => [campaign_id, ad_set_id])).difference(
      new Set([nilUuid, ...names.keys()]),
    ),
  ]);
  const strange = rows.filter(({ entity_id }) => !names.get(entity_id)?.platform).map(({ entity_id }) => entity_id);
  const clicked = await inTurn(strange, (some) =>
    clickhouse.query('source_find_entities', { ...of, level, entity_ids: some }, { signal }),
  );
  const platforms = new Map(clicked.map(({ entity_id, platform }) => [entity_id, platform]));
  return rows.map((row) => {
    const own = names.get(row.entity_id) ?? nobody;
    // A campaign names itself as its campaign, an ad set itself as its ad set: those are not above it.
    const above = (id: string) => (id === row.entity_id ? nobody : (parents.get(id) ?? names.get(id) ?? nobody));
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

const nobody: Omit<Told, 'entity_id' | 'is_told'> = {
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

async function inTurn<T>(ids: readonly string[], read: (some: readonly string[]) => Promise<T[]>): Promise<T[]> {
  const found: T[] = [];
  for (let from = 0; from < ids.length; from += idsOfParameter)
    found.push(...(await read(ids.slice(from, from + idsOfParameter))));
  return found;
}
