import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { SummedField } from '@tributary/vocabulary';
import { clientFor } from '../client.ts';
import { datesOf, keyOf, type Place, reportOf } from '../queries.ts';
import type { Explained } from '../search.ts';

export const explanationQuery = (place: Place, explain: Explained) =>
  infiniteQueryOptions({
    queryKey: ['explanation', ...keyOf(place), explain],
    queryFn: ({ pageParam, signal }) => {
      const { report, field, entity, level, model, type, platform, channel, window, days } = explain;
      const of = { ...place, ...days };
      return clientFor(place.profileId).explain({
        query: {
          // Top ads are as they were last scored.
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

/** Why a figure is another one now than it was as it stood. */
export const changesQuery = (place: Place, from: string, { field, entity, level, model, type }: ChangedFigure) =>
  queryOptions({
    queryKey: ['changes', ...keyOf(place), from, field, entity, level, model, type],
    queryFn: async ({ signal }) =>
      (
        await clientFor(place.profileId).readChanges({
          query: {
            ...datesOf(place),
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
