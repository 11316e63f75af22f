import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ResponseOf, Routes } from '@tributary/sdk';
import { clientFor } from '../client.ts';
import { datesOf, keyOf, type ReportScope } from '../queries.ts';
import type { Level } from '../search.ts';

/** The API queries of the incrementality pages. */

type Answer<Id extends keyof Routes> = ResponseOf<Routes[Id]>;
export type Models = Answer<'readModels'>['data'];
export type Estimates = Answer<'listModelCampaigns'>;
export type Estimate = Estimates['data'][number];
export type FittedModel = Estimates['meta']['model'];
export type Advice = Answer<'readAdvice'>;
export type AdviceRow = Advice['data'][number];
export type Experiment = Answer<'listExperiments'>['data'][number];

const busyEveryMs = 3_000;

/** Polls while a fit is running. */
export const modelsQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'models'],
    queryFn: async ({ signal }) => (await clientFor(profileId).readModels({ signal })).data,
    refetchInterval: ({ state }) => (isUnderWay(state.data?.latest_fit?.state) ? busyEveryMs : false),
  });

export const isUnderWay = (state: string | undefined): boolean => state === 'queued' || state === 'running';

/** The first page: the entities with the most credit. */
export const estimatesQuery = (scope: ReportScope, model: FittedModel, level: Level) =>
  queryOptions({
    queryKey: [scope.profileId, 'models', 'estimates', ...keyOf(scope), model, level],
    queryFn: ({ signal }) =>
      clientFor(scope.profileId).listModelCampaigns({
        params: { model },
        query: { ...datesOf(scope), level, limit: 100 },
        signal,
      }),
    // An error states why there is no estimate; a retry would not change it.
    retry: false,
  });

export const adviceQuery = (profileId: string, marginPct: number) =>
  queryOptions({
    queryKey: [profileId, 'models', 'advice', marginPct],
    queryFn: ({ signal }) => clientFor(profileId).readAdvice({ query: { margin_pct: marginPct }, signal }),
  });

export const experimentsQuery = (profileId: string) =>
  infiniteQueryOptions({
    queryKey: [profileId, 'experiments'],
    queryFn: ({ pageParam, signal }) =>
      clientFor(profileId).listExperiments({ query: pageParam ? { cursor: pageParam } : {}, signal }),
    initialPageParam: '',
    getNextPageParam: ({ pagination: { has_next: hasNext, cursor } }) => (hasNext ? cursor : undefined),
    staleTime: 0,
  });
