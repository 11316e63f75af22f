import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { defaultParseSearch, defaultStringifySearch } from '@tanstack/react-router';
import type { ResponseOf, Routes } from '@tributary/sdk';
import { clientFor } from '../client.ts';
import { rolesThatSaveViews, savedPages } from '../vocabulary.ts';

/** Saved reports of the workspace: a page with its dates, model, filters and sort order under a name. */
export type View = ResponseOf<Routes['listSavedViews']>['data'][number];

const savedViewsQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'saved views'],
    queryFn: ({ signal }) => clientFor(profileId).listSavedViews({ signal }),
    select: ({ data }) => data,
  });

export function useViews(profileId: string): readonly View[] {
  return useQuery(savedViewsQuery(profileId)).data ?? [];
}

/** Replaces a view of the same name. */
export function useSaveView(profileId: string) {
  return useChange(profileId, (body: Pick<View, 'name' | 'page' | 'search'>) =>
    clientFor(profileId).saveView({ body }),
  );
}

export function useRemoveView(profileId: string) {
  return useChange(profileId, (id: string) => clientFor(profileId).deleteSavedView({ params: { id } }));
}

function useChange<Request, Answer>(profileId: string, change: (request: Request) => Promise<Answer>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: savedViewsQuery(profileId).queryKey }),
  });
}

/** The current page, if it can be saved. */
export const savedPageAt = (profileId: string, pathname: string): View['page'] | undefined =>
  savedPages.find((page) => pathname === `/p/${profileId}/${page}`);

/** Leaves the explanation out, because it is temporary. */
export function searchText({ explain: _, ...rest }: Readonly<Record<string, unknown>>): string {
  return defaultStringifySearch(rest).slice(1);
}

export const addressOf = (profileId: string, { page }: View): string => `/p/${profileId}/${page}`;

/** The opened page validates the parameters itself. */
export const searchOf = ({ search }: View): object => defaultParseSearch(search);

export const savesViews = (role: string | undefined): boolean => rolesThatSaveViews.some((one) => one === role);
