import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Compared } from './date-range.ts';
import type { ReportScope } from './queries.ts';
import type { Model, ReportSearch } from './search.ts';

const profileRoute = getRouteApi('/p/$profileId');

interface ReportParameters {
  readonly scope: ReportScope;
  readonly model: Model;
  readonly compared: Compared;
  /** The search parameters that links to other reports keep. */
  readonly linkSearch: Omit<ReportSearch, 'explain' | 'asOf' | 'sort' | 'find' | 'only'>;
}

/** The profile, dates, comparison and model in the URL. */
export function useReportScope(): ReportParameters {
  const { profileId } = profileRoute.useParams();
  const { from, to, model, compared, asOf } = profileRoute.useSearch();
  return useMemo(
    () => ({ scope: { profileId, from, to, asOf }, model, compared, linkSearch: { from, to, model, compared } }),
    [profileId, from, to, model, compared, asOf],
  );
}

/** Changes search parameters without leaving the page. Closes the explanation, which belongs to the previous report. */
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
