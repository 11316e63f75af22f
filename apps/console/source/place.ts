import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Compared } from './date-range.ts';
import type { Place } from './queries.ts';
import type { Model, ReportSearch } from './search.ts';

const profileRoute = getRouteApi('/p/$profileId');

interface ReportLocation {
  readonly place: Place;
  readonly model: Model;
  readonly compared: Compared;
  /** What a link to another report takes along. */
  readonly kept: Omit<ReportSearch, 'explain' | 'asOf' | 'sort' | 'find' | 'only'>;
}

/** The profile and the days that the address names, what they are compared with, and the model. */
export function usePlace(): ReportLocation {
  const { profileId } = profileRoute.useParams();
  const { from, to, model, compared, asOf } = profileRoute.useSearch();
  return useMemo(
    () => ({ place: { profileId, from, to, asOf }, model, compared, kept: { from, to, model, compared } }),
    [profileId, from, to, model, compared, asOf],
  );
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
