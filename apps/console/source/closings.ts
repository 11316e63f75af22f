import { queryOptions } from '@tanstack/react-query';
import { clientFor } from './client.ts';
import { type DateRange, moved } from './date-range.ts';

/** Closed months, newest first. */
export const closingsQuery = (profileId: string) =>
  queryOptions({
    queryKey: [profileId, 'closings'],
    queryFn: async ({ signal }) => (await clientFor(profileId).listClosings({ query: { limit: 100 }, signal })).data,
  });

/** The month that the range covers exactly, as YYYY-MM. */
export function monthOf({ from, to }: DateRange): string | undefined {
  const month = from.slice(0, 7);
  const isFirst = from === `${month}-01`;
  return isFirst && to.startsWith(month) && !moved(to, 1).startsWith(month) ? month : undefined;
}
