import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { defaultParseSearch, defaultStringifySearch } from '@tanstack/react-router';
import type { AnswerTo, Routes } from '@tributary/sdk';
import { clientFor } from '../client.ts';
import { rolesThatSaveViews, savedPages } from '../vocabulary.ts';

/** Reports that members of the workspace come back to: a page with its days, model, filters and sort under a name. */
export type View = AnswerTo<Routes['listSavedViews']>['data'][number];

const savedViewsQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'saved views'],
    queryFn: ({ signal }) => clientFor(profileId).listSavedViews({ signal }),
    select: ({ data }) => data,
  });

export function useViews(profileId: string): readonly View[] {
  return useQuery(savedViewsQuery(profileId)).data ?? [];
}

/** One of the same name is replaced. */
export function useSaveView(profileId: string) {
  return useChange(profileId, (body: Pick<View, 'name' | 'page' | 'search'>) =>
    clientFor(profileId).saveView({ body }),
  );
}

export function useRemoveView(profileId: string) {
  return useChange(profileId, (id: string) => clientFor(profileId).deleteSavedView({ params: { id } }));
}

function useChange<Asked, Answer>(profileId: string, change: (asked: Asked) => Promise<Answer>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: savedViewsQuery(profileId).queryKey }),
  });
}

/** The page in sight, if it can be saved. */
export const savedPageAt = (profileId: string, pathname: string): View['page'] | undefined =>
  savedPages.find((page) => pathname === `/p/${profileId}/${page}`);

/** What was being explained is of the moment, so it is left out. */
export function searchText({ explain: _, ...kept }: Readonly<Record<string, unknown>>): string {
  return defaultStringifySearch(kept).slice(1);
}

export const addressOf = (profileId: string, { page }: View): string => `/p/${profileId}/${page}`;

/** Whatever stands there, the page that is opened reads only what it knows. */
export const searchOf = ({ search }: View): object => defaultParseSearch(search);

export const savesViews = (role: string | undefined): boolean => rolesThatSaveViews.some((one) => one === role);
