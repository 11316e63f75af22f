import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AnswerTo, Routes } from '@tributary/sdk';
import { accountClient, clientFor } from './client.ts';
import { type Explained, type Level, type Model, modelNames, type ScoreWindow } from './search.ts';
import { limits } from './vocabulary.ts';

/** Everything the screens ask the API, one function a question. */

/** Which numbers are meant: a profile's, of these days. */
export interface Place {
  readonly profileId: string;
  readonly from: string;
  readonly to: string;
}

type Answer<Id extends keyof Routes> = AnswerTo<Routes[Id]>;
export type Account = Answer<'readAccount'>['data'];
export type OverviewAnswer = Answer<'readOverview'>;
export type CampaignRow = Answer<'listCampaigns'>['data'][number];
export type UnattributedRow = Answer<'readUnattributed'>['data'];
export type Comparison = Answer<'readPlatformComparison'>;
export type TopPerformer = Answer<'listTopPerformers'>['data'][number];
export type Explanation = Answer<'explain'>;
export type ExplainedConversion = Explanation['data']['conversions'][number];
export type ExplainedDelivery = Explanation['data']['delivery'][number];

const datesOf = ({ from, to }: Place) => ({ date_from: from, date_to: to });
const keyOf = ({ profileId, from, to }: Place) => [profileId, from, to] as const;

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: async ({ signal }) => (await accountClient.readAccount({ signal })).data,
  staleTime: 5 * 60_000,
});

export const profileQuery = (profileId: string) =>
  queryOptions({
    queryKey: ['profile', profileId],
    queryFn: async ({ signal }) => (await clientFor(profileId).readProfile({ signal })).data,
    staleTime: 5 * 60_000,
  });

export const overviewQuery = (place: Place) =>
  queryOptions({
    queryKey: ['overview', ...keyOf(place)],
    queryFn: ({ signal }) => clientFor(place.profileId).readOverview({ query: datesOf(place), signal }),
  });

/** More rows than anybody reads; who has more sees the first of them, and is told so. */
export const mostRows = 1_000;

export const campaignsQuery = (place: Place, level: Level, model: Model) =>
  queryOptions({
    queryKey: ['campaigns', ...keyOf(place), level, model],
    queryFn: async ({ signal }) => {
      const query = { ...datesOf(place), level, model, limit: limits.campaigns };
      const rows: CampaignRow[] = [];
      for await (const row of clientFor(place.profileId).listCampaigns.each({ query, signal })) {
        if (rows.length === mostRows) return { rows, isCut: true };
        rows.push(row);
      }
      return { rows, isCut: false };
    },
  });

export const unattributedQuery = (place: Place, level: Level, model: Model) =>
  queryOptions({
    queryKey: ['unattributed', ...keyOf(place), level, model],
    queryFn: async ({ signal }) =>
      (await clientFor(place.profileId).readUnattributed({ query: { ...datesOf(place), level, model }, signal })).data,
  });

/** One campaign, ad set or ad, by our id or the platform's. */
export const entityQuery = (place: Place, id: string, level: Level, model: Model) =>
  queryOptions({
    queryKey: ['entity', ...keyOf(place), id, level, model],
    queryFn: async ({ signal }) => {
      const query = { ...datesOf(place), level, model };
      return (await clientFor(place.profileId).readAd({ params: { id }, query, signal })).data;
    },
  });

export interface ModelFigures {
  readonly model: Model;
  readonly figures: UnattributedRow & Partial<Pick<CampaignRow, 'roas' | 'cac'>>;
}

/** One row under every model: a campaign, ad set or ad, or what none of them earned. */
export const sixModelsQuery = (place: Place, entity: string, level: Level) =>
  queryOptions({
    queryKey: ['six models', ...keyOf(place), entity, level],
    queryFn: ({ signal }) =>
      Promise.all(
        modelNames.map(async (model): Promise<ModelFigures> => {
          const client = clientFor(place.profileId);
          const query = { ...datesOf(place), level, model };
          const { data } =
            entity === 'unattributed'
              ? await client.readUnattributed({ query, signal })
              : await client.readAd({ params: { id: entity }, query, signal });
          return { model, figures: data };
        }),
      ),
  });

export const comparisonQuery = (place: Place, level: Level, model: Model) =>
  queryOptions({
    queryKey: ['comparison', ...keyOf(place), level, model],
    queryFn: ({ signal }) =>
      clientFor(place.profileId).readPlatformComparison({ query: { ...datesOf(place), level, model }, signal }),
  });

export const topPerformersQuery = (profileId: string, window: ScoreWindow) =>
  queryOptions({
    queryKey: ['top performers', profileId, window],
    queryFn: async ({ signal }) => {
      const query = { window, limit: limits.topPerformers };
      return (await clientFor(profileId).listTopPerformers({ query, signal })).data;
    },
  });

export const explanationQuery = (place: Place, { report, field, entity, level, model, type }: Explained) =>
  infiniteQueryOptions({
    queryKey: ['explanation', ...keyOf(place), report, field, entity, level, model, type],
    queryFn: ({ pageParam, signal }) =>
      clientFor(place.profileId).explain({
        query: {
          ...datesOf(place),
          report,
          field,
          level,
          model,
          ...(entity && { entity_id: entity }),
          ...(type && { type }),
          ...(pageParam && { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ pagination: { has_next: hasNext, cursor } }) => (hasNext ? cursor : undefined),
  });
