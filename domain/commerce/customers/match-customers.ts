import type { Tx } from '@tributary/postgres';
import { endOfPrefix, type SearchQuestion } from '@tributary/rules';
import { sql } from 'kysely';

/** Above this number of matching terms, a search matches too many customers to list them first. */
const maxTerms = 2_000;

/** All customers that match the search; undefined when they may be thousands. Callers then filter rows with `filterMatching`. */
export async function findMatching(tx: Tx, profileId: string, question: SearchQuestion): Promise<string[] | undefined> {
  const byPhrase = await findByPrefix(tx, profileId, question.phrase);
  if (!byPhrase) return undefined;
  if (question.words.length === 0) return byPhrase;
  const rarest = await findRarest(tx, profileId, question.words);
  if (!rarest) return undefined;
  return [...new Set([...byPhrase, ...(await filterMatching(tx, profileId, rarest, question))])];
}

/** Those of the customers that match the search, either by the whole phrase or by each of its words. */
export async function filterMatching(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
  { phrase, words }: SearchQuestion,
): Promise<Set<string>> {
  if (customerIds.length === 0) return new Set();
  const begins = (low: string) => sql`EXISTS (
    SELECT FROM unnest(c.terms) AS term WHERE term COLLATE "C" >= ${low} AND term COLLATE "C" < ${endOfPrefix(low)})`;
  const eachWord = words.length === 0 ? sql`false` : sql.join(words.map(begins), sql` AND `);
  const { rows } = await sql<{ id: string }>`
    SELECT c.id FROM customers c
    WHERE c.profile_id = ${profileId} AND c.id = ANY (${[...new Set(customerIds)]}::uuid[]) AND (${begins(phrase)} OR (${eachWord}))`.execute(
    tx,
  );
  return new Set(rows.map(({ id }) => id));
}

async function findRarest(tx: Tx, profileId: string, words: readonly string[]): Promise<string[] | undefined> {
  let rarest: string[] | undefined;
  for (const word of words) {
    const found = await findByPrefix(tx, profileId, word);
    if (found && found.length < (rarest?.length ?? Number.POSITIVE_INFINITY)) rarest = found;
  }
  return rarest;
}

async function findByPrefix(tx: Tx, profileId: string, prefix: string): Promise<string[] | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT customer_id AS id FROM search_terms
    WHERE profile_id = ${profileId} AND term >= ${prefix} AND term < ${endOfPrefix(prefix)} LIMIT ${maxTerms + 1}`.execute(
    tx,
  );
  return rows.length > maxTerms ? undefined : [...new Set(rows.map(({ id }) => id))];
}
