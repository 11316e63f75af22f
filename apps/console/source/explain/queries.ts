import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { SummedField } from '@tributary/vocabulary';
import { clientFor } from '../client.ts';
import { datesOf, keyOf, type ReportScope, reportOf } from '../queries.ts';
import type { Explained } from '../search.ts';

export const explanationQuery = (scope: ReportScope, explain: Explained) =>
  infiniteQueryOptions({
    queryKey: ['explanation', ...keyOf(scope), explain],
    queryFn: ({ pageParam, signal }) => {
      const { report, field, entity, level, model, type, platform, channel, window, days } = explain;
      const of = { ...scope, ...days };
      return clientFor(scope.profileId).explain({
        query: {
          // Top ads always show their latest scores.
          ...(report === 'top_performers' ? datesOf(of) : reportOf(of)),
          report,
          field,
          level,
          model,
          ...(entity && { entity_id: entity }),
          ...(type && { type }),
          ...(platform && { platform }),
          ...(channel && { channel }),
          ...(window && { window }),
          ...(pageParam && { cursor: pageParam }),
        },
        signal,
      });
    },
    initialPageParam: '',
    getNextPageParam: ({ pagination: { has_next: hasNext, cursor } }) => (hasNext ? cursor : undefined),
  });

/** Why a figure differs between the report's as-of date and now. */
export const changesQuery = (scope: ReportScope, from: string, { field, entity, level, model, type }: ChangedFigure) =>
  queryOptions({
    queryKey: ['changes', ...keyOf(scope), from, field, entity, level, model, type],
    queryFn: async ({ signal }) =>
      (
        await clientFor(scope.profileId).readChanges({
          query: {
            ...datesOf(scope),
            field,
            level,
            model,
            from,
            ...(entity && { entity_id: entity }),
            ...(type && { type }),
          },
          signal,
        })
      ).data,
  });

type ChangedFigure = Omit<Explained, 'field'> & { readonly field: SummedField };
