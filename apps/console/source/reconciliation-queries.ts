import { queryOptions } from '@tanstack/react-query';
import type { ResponseOf, Routes } from '@tributary/sdk';
import { clientFor } from './client.ts';

/** The API queries of the reconciliation page. */

export type ReconciledDay = ResponseOf<Routes['readReconciliation']>['data']['days'][number];

export type BookOfDay = ReconciledDay['books'][number];
export type SourceOfDay = ReconciledDay['sources'][number];
export type Difference = ResponseOf<Routes['listDifferences']>['data'][number];

export const reconciliationsQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'reconciliations'],
    queryFn: async ({ signal }) => (await clientFor(profileId).listReconciliations({ signal })).data,
    refetchInterval: ({ state }) => (state.data?.some(isQueued) ? recheckEveryMs : false),
  });

const recheckEveryMs = 2_000;

export const isQueued = ({ state }: ResponseOf<Routes['listReconciliations']>['data'][number]): boolean =>
  state === 'queued';

export const reconciliationQuery = (profileId: string, id: string) =>
  queryOptions({
    queryKey: [profileId, 'reconciliations', id],
    queryFn: async ({ signal }) =>
      (await clientFor(profileId).readReconciliation({ params: { reconciliation_id: id }, signal })).data,
  });

/** The first page of differences. */
export const differencesQuery = (profileId: string, id: string) =>
  queryOptions({
    queryKey: [profileId, 'reconciliations', id, 'differences'],
    queryFn: async ({ signal }) =>
      (await clientFor(profileId).listDifferences({ params: { reconciliation_id: id }, signal })).data,
  });
