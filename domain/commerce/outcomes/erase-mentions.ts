import type { FindNamingErased } from '@tributary/domain/commerce/customers';
import type { Postgres } from '@tributary/postgres';
import type { Json } from '@tributary/rules';
import { nilUuid } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { impersonalFields } from './erase.ts';

const batchSize = 10_000;
/** Replaces a text that mentioned an erased customer. */
const erasedWord = '[erased]';

/** Prefilter: texts that could contain an email, phone or national id. Other rows are skipped, because a profile has millions. */
const possibleMention = '@|%40|&#|[0-9][0-9 ().+_-]{5,}[0-9kK]';

type Rest = Readonly<Record<string, Json | undefined>>;

/**
 * Removes mentions of erased customers from outcomes of other customers, such as in an order note or a page URL. Replaces the whole text with
 * a marker. Resolves to the number of changed outcomes.
 */
export async function forgetMentions(
  app: Postgres,
  profileId: string,
  findNaming: FindNamingErased,
  signal: AbortSignal,
): Promise<number> {
  const ledger = app.forProfile(profileId);
  let cleared = 0;
  for (let after: string | null = nilUuid; after !== null; ) {
    signal.throwIfAborted();
    const from: string = after;
    const { rows } = await ledger.transaction(
      (tx) =>
        sql<{ last: string | null; found: { id: string; rest: Rest; at: string }[] | null }>`
          SELECT (array_agg(id ORDER BY id DESC))[1] AS last,
            jsonb_agg(jsonb_build_object('id', id, 'rest', rest, 'at', recorded_at)) FILTER (
              WHERE erased_at IS NULL AND (rest - ${[...impersonalFields, 'click_ids']}::text[])::text ~ ${possibleMention}) AS found
          FROM (SELECT id, rest, recorded_at, erased_at FROM outcomes WHERE profile_id = ${profileId} AND id > ${from}
            ORDER BY id LIMIT ${batchSize}) batch`.execute(tx),
      { readOnly: true },
    );
    after = rows[0]?.last ?? null;
    const found = rows[0]?.found ?? [];
    const texts = found.flatMap(({ id, rest, at }) =>
      [...new Set(textsIn(rest))].map((content) => ({ id, content, at: new Date(at) })),
    );
    const naming = Map.groupBy(await findNaming(profileId, texts), ({ id }) => id);
    for (const { id, rest } of found) {
      const named = naming.get(id);
      if (!named) continue;
      const left = JSON.stringify(without(rest, new Set(named.map(({ content }) => content))));
      // Skips rows changed since they were read: such a message was sent after the erasure.
      await ledger.transaction((tx) =>
        sql`UPDATE outcomes SET rest = ${left}::jsonb
          WHERE profile_id = ${profileId} AND id = ${id} AND rest = ${JSON.stringify(rest)}::jsonb`.execute(tx),
      );
      cleared += 1;
    }
  }
  return cleared;
}

function textsIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(textsIn);
}

function without(value: Json | undefined, naming: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return naming.has(value) ? erasedWord : value;
  if (Array.isArray(value)) return value.map((one) => without(one, naming));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, without(field, naming)]));
}
