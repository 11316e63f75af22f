import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Place } from './queries.ts';
import type { Model, ReportSearch } from './search.ts';

const profileRoute = getRouteApi('/p/$profileId');

/** The profile and the days that the address names, and the model. */
export function usePlace(): { readonly place: Place; readonly model: Model } {
  const { profileId } = profileRoute.useParams();
  const { from, to, model } = profileRoute.useSearch();
  return useMemo(() => ({ place: { profileId, from, to }, model }), [profileId, from, to, model]);
}

/** Changes what stands after the question mark and stays on the screen. What was being explained is of before, so it goes. */
export function useChangeSearch(): (changes: Partial<Omit<ReportSearch, 'explain'>>) => void {
  const navigate = useNavigate();
  return useCallback(
    (changes) =>
      void navigate({
        to: '.',
        search: ({ explain: _, ...before }) => ({ ...before, ...changes }),
        resetScroll: false,
      }),
    [navigate],
  );
}
