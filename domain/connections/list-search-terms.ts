import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { listSearches, type SearchPlace } from './search-store.ts';

const writeCursor = ({ day, connection_id, hash }: SearchPlace): string => `${day}.${connection_id}.${hash}`;

const pattern = /^(\d{4}-\d\d-\d\d)\.([0-9a-f-]{36})\.([0-9a-f]{64})$/;

function readCursor(text: string): SearchPlace {
  const [, day, connection_id, hash] = pattern.exec(text) ?? [];
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
  const before = cursor === undefined ? undefined : readCursor(cursor);
  const asked = { from, to, before, limit: limit + 1 };
  const rows = await ledger.transaction((tx) => listSearches(tx, caller.profileId, asked), { readOnly: true });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return answer(200, {
    data: shown.map(({ hash: _hash, clicks, impressions, ...row }) => ({
      ...row,
      clicks: Number(clicks),
      impressions: Number(impressions),
    })),
    pagination: { has_next: rows.length > limit, cursor: last ? writeCursor(last) : null },
  });
};
