import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { listSearches, type SearchCursor } from './search-store.ts';

const formatCursor = ({ day, connection_id, hash }: SearchCursor): string => `${day}.${connection_id}.${hash}`;

const cursorPattern = /^(\d{4}-\d\d-\d\d)\.([0-9a-f-]{36})\.([0-9a-f]{64})$/;

function parseCursor(text: string): SearchCursor {
  const [, day, connection_id, hash] = cursorPattern.exec(text) ?? [];
  if (
    !day ||
    !connection_id ||
    !hash ||
    Number.isNaN(Date.parse(day)) ||
    !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-/.test(connection_id)
  )
    return refuse('invalid_parameter', 'The query parameter "cursor" is not one that this route gave out.', {
      fields: { field: 'cursor' },
    });
  return { day, connection_id, hash };
}

export const listSearchTerms: Handles<Routes['listSearchTerms']> = async ({ query }, { ledger, caller }) => {
  const { date_from: from, date_to: to, limit, cursor } = query;
  const before = cursor === undefined ? undefined : parseCursor(cursor);
  const params = { from, to, before, limit: limit + 1 };
  const rows = await ledger.transaction((tx) => listSearches(tx, caller.profileId, params), { readOnly: true });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return answer(200, {
    data: page.map(({ hash: _hash, clicks, impressions, ...row }) => ({
      ...row,
      clicks: Number(clicks),
      impressions: Number(impressions),
    })),
    pagination: { has_next: rows.length > limit, cursor: last ? formatCursor(last) : null },
  });
};
