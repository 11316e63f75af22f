import type { Routes } from '@tributary/contract';
import { listPayments as findPage } from '@tributary/domain/commerce/outcomes';
import { findDays } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { nilUuid } from '@tributary/vocabulary';
import { toPaymentResponses } from './payment-response.ts';

/** Lists payments of a period, newest first. */
export const listPayments: Handles<Routes['listPayments']> = async ({ query }, context) => {
  const { caller, ledger } = context;
  const { limit, cursor, status } = query;
  return ledger.transaction(
    async (tx) => {
      const { from, until } = await resolvePeriod(tx, caller.profileId, query);
      const [at, id] = cursor?.split('|') ?? [];
      const before = at && id ? { at: new Date(at), id } : { at: until, id: nilUuid };
      const found = await findPage(tx, caller.profileId, {
        from,
        until,
        before,
        limit: limit + 1,
        isUnidentified: status === 'unidentified',
        isCounted: query.counted && query.counted === 'true',
      });
      const rows = found.slice(0, limit);
      const last = rows.at(-1);
      return answer(200, {
        data: await toPaymentResponses(tx, rows, context),
        pagination: { has_next: found.length > limit, cursor: last ? `${last.paidAt.toISOString()}|${last.id}` : null },
      });
    },
    { readOnly: true },
  );
};

/** A date covers the whole day in the profile's time zone; a timestamp is used unchanged. */
async function resolvePeriod(tx: Tx, profileId: string, { from, to }: { from: string; to: string }) {
  const dayOf = (text: string) => text.slice(0, 10);
  const days = await findDays(tx, profileId, dayOf(from), dayOf(to));
  const isDay = (text: string) => text.length === 10;
  return { from: isDay(from) ? days.from : new Date(from), until: isDay(to) ? days.until : new Date(to) };
}
