import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { RequestOf, ResponseOf, Routes } from '@tributary/sdk';
import { clientFor } from '../client.ts';
import { keyOf, type ReportScope } from '../queries.ts';

/** The API queries of the payments page. */

export type PaymentRow = ResponseOf<Routes['listPayments']>['data'][number];
export type PaymentChoice =
  | NonNullable<NonNullable<RequestOf<Routes['listPayments']>['query']>['status']>
  | 'counted'
  | 'not_counted';

export const paymentsQuery = (scope: ReportScope, choice: PaymentChoice) =>
  infiniteQueryOptions({
    queryKey: ['payments', ...keyOf(scope), choice],
    queryFn: ({ pageParam, signal }) => {
      const { profileId, from, to } = scope;
      const isByCount = choice === 'counted' || choice === 'not_counted';
      const filter = isByCount
        ? ({ counted: choice === 'counted' ? 'true' : 'false' } as const)
        : ({ status: choice } as const);
      return clientFor(profileId).listPayments({
        query: { from, to, ...filter, ...(pageParam && { cursor: pageParam }) },
        signal,
      });
    },
    initialPageParam: '',
    getNextPageParam: ({ pagination: { has_next: hasNext, cursor } }) => (hasNext ? cursor : undefined),
  });

export const paymentQuery = (profileId: string, id: string) =>
  queryOptions({
    queryKey: ['payment', profileId, id],
    queryFn: async ({ signal }) =>
      (await clientFor(profileId).readPayment({ params: { payment_id: id }, signal })).data,
  });
