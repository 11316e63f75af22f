import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { RequestOf, ResponseOf, Routes } from '@tributary/sdk';
import { clientFor } from '../client.ts';

/** The API queries of the pages about overlapping payment sources. */

type Answer<Id extends keyof Routes> = ResponseOf<Routes[Id]>;
export type SaleMatch = Answer<'listSaleMatches'>['data'][number];
export type SaleSources = Answer<'readSaleSources'>['data'];
export type SaleSource = SaleSources['sources'][number];
export type SaleOverlap = SaleSources['overlaps'][number];
export type MatchQuery = NonNullable<RequestOf<Routes['listSaleMatches']>['query']>;

const pendingEveryMs = 2_000;

/** Polls while a change is being applied to reports. */
export const saleSourcesQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'sales', 'sources'],
    queryFn: async ({ signal }) => (await clientFor(profileId).readSaleSources({ signal })).data,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.is_pending ? pendingEveryMs : false),
  });

export const saleMatchesQuery = (profileId: string, filter: MatchQuery) =>
  infiniteQueryOptions({
    queryKey: [profileId, 'sales', 'matches', filter],
    queryFn: ({ pageParam, signal }) =>
      clientFor(profileId).listSaleMatches({ query: { ...filter, ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ pagination: { has_next: hasNext, cursor } }) => (hasNext ? cursor : undefined),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.some(({ is_pending: isPending }) => isPending))
        ? pendingEveryMs
        : false,
  });

/** Any figure may depend on which records count, so all are refetched. */
export const invalidateFigures = (queryClient: QueryClient): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ queryKey: [first] }) => first !== 'account' });
