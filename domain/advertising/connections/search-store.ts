import { createHash } from 'node:crypto';
import type { Tx } from '@tributary/postgres';
import type { SearchDaysRecord, SearchTermRecord } from '@tributary/providers';
import { sql } from 'kysely';

/** Stores search terms. A day that is reported again replaces its previous report. */
export async function saveSearches(
  tx: Tx,
  { profileId, connectionId }: { readonly profileId: string; readonly connectionId: string },
  terms: readonly SearchTermRecord[],
): Promise<void> {
  if (terms.length === 0) return;
  const rows = new Map(terms.map((one) => [`${one.day} ${hashOf(one)}`, { ...one, hash: hashOf(one) }]));
  await sql`
    INSERT INTO site_searches (profile_id, connection_id, day, hash, query, page, clicks, impressions, position, reading)
    SELECT ${profileId}, ${connectionId}, day, decode(hash, 'hex'), query, page, clicks, impressions, position, reading
    FROM jsonb_to_recordset(${JSON.stringify([...rows.values()])}::jsonb)
      AS s (day date, hash text, query text, page text, clicks bigint, impressions bigint, position numeric, reading text)
    ON CONFLICT (profile_id, day, connection_id, hash) DO UPDATE SET clicks = excluded.clicks,
      impressions = excluded.impressions, position = excluded.position, reading = excluded.reading`.execute(tx);
}

/**
 * Deletes the terms of completely reported days that were not reported again, because the provider no longer shows
 * them.
 */
export async function deleteVanished(
  tx: Tx,
  { profileId, connectionId }: { readonly profileId: string; readonly connectionId: string },
  ranges: readonly SearchDaysRecord[],
): Promise<void> {
  for (const { since, until, reading } of ranges)
    await sql`
      DELETE FROM site_searches WHERE profile_id = ${profileId} AND day BETWEEN ${since} AND ${until}
        AND connection_id = ${connectionId} AND reading <> ${reading}`.execute(tx);
}

const hashOf = ({ query, page }: SearchTermRecord): string =>
  createHash('sha256')
    .update(JSON.stringify([query, page]))
    .digest('hex');

/** A position in the order of the list. */
export interface SearchCursor {
  readonly day: string;
  readonly connection_id: string;
  readonly hash: string;
}

export interface SearchRow extends SearchCursor {
  readonly query: string;
  readonly page: string;
  readonly clicks: string;
  readonly impressions: string;
  readonly position: string;
}

interface SearchParams {
  readonly from: string;
  readonly to: string;
  readonly before: SearchCursor | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listSearches(
  tx: Tx,
  profileId: string,
  { from, to, before, limit }: SearchParams,
): Promise<SearchRow[]> {
  const { rows } = await sql<SearchRow>`
    SELECT day::text, connection_id, encode(hash, 'hex') AS hash, query, page, clicks, impressions, position
    FROM site_searches WHERE profile_id = ${profileId} AND day BETWEEN ${from} AND ${to}
      ${before ? sql`AND (day, connection_id, hash) < (${before.day}::date, ${before.connection_id}::uuid, decode(${before.hash}, 'hex'))` : sql``}
    ORDER BY day DESC, connection_id DESC, hash DESC LIMIT ${limit}`.execute(tx);
  return rows;
}
