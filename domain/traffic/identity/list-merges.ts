import type { Routes } from '@tributary/contract';
import { listLargestMerges, type MergeCursor, type MergeRow } from '@tributary/domain/commerce/customers';
import { findDays } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles } from '@tributary/operations';
import { toMergeResponse } from './merge-response.ts';

export const listMerges: Handles<Routes['listMerges']> = async ({ query }, { caller, ledger, mentions }) => {
  const { profileId } = caller;
  const { limit, date_from, date_to } = query;
  const rows = await ledger.transaction(
    async (tx) => {
      const { from, until } = await findDays(tx, profileId, date_from, date_to);
      return listLargestMerges(tx, profileId, { from, until, after: parseCursor(query.cursor), limit: limit + 1 });
    },
    { readOnly: true },
  );
  const shown = rows.slice(0, limit);
  for (const { loserId, survivorId } of shown) {
    mentions(loserId);
    mentions(survivorId);
  }
  const last = shown.at(-1);
  return answer(200, {
    data: shown.map(toMergeResponse),
    pagination: { has_next: rows.length > limit, cursor: last ? `${getMergeSize(last)}|${last.id}` : null },
    meta: { date_from, date_to },
  });
};

const getMergeSize = (merge: MergeRow) => merge.movedIdentifiers + merge.movedBrowsers + merge.movedOutcomes;

function parseCursor(cursor: string | undefined): MergeCursor | undefined {
  const [size, id] = cursor?.split('|') ?? [];
  return size !== undefined && id !== undefined ? { size: Number(size), id } : undefined;
}
