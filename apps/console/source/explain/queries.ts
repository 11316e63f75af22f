import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { SummedField } from '@tributary/vocabulary';
import { clientFor } from '../client.ts';
import { datesOf, keyOf, type Place, reportOf } from '../queries.ts';
import type { Explained } from '../search.ts';

export const explanationQuery = (place: Place, { report, field, entity, level, model, type }: Explained) =>
  infiniteQueryOptions({
    queryKey: ['explanation', ...keyOf(place), report, field, entity, level, model, type],
    queryFn: ({ pageParam, signal }) =>
      clientFor(place.profileId).explain({
        query: {
          ...reportOf(place),
          report,
          field,
          level,
          model,
          ...(entity && { entity_id: entity }),
          ...(type && { type }),
          ...(pageParam && { cursor: pageParam }),
        },
        signal,
      }),
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
