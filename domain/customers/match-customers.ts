import type { Tx } from '@tributary/postgres';
import { endOfPrefix, type SearchQuestion } from '@tributary/rules';
import { sql } from 'kysely';

/** Beyond so many terms a question fits too many people to list them first. */
const mostTerms = 2_000;

/** Everybody whom the question fits, or undefined where that may be thousands: then look at people one by one with `fittingAmong`. */
export async function findFitting(tx: Tx, profileId: string, question: SearchQuestion): Promise<string[] | undefined> {
  const byPhrase = await findUnder(tx, profileId, question.phrase);
  if (!byPhrase) return undefined;
  if (question.words.length === 0) return byPhrase;
  const rarest = await findRarest(tx, profileId, question.words);
  if (!rarest) return undefined;
  return [...new Set([...byPhrase, ...(await fittingAmong(tx, profileId, rarest, question))])];
}

/** Of the customers, those whom the question fits: by its words in their order, or by each of them. */
export async function fittingAmong(
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
    const found = await findUnder(tx, profileId, word);
    if (found && found.length < (rarest?.length ?? Number.POSITIVE_INFINITY)) rarest = found;
  }
  return rarest;
}

async function findUnder(tx: Tx, profileId: string, prefix: string): Promise<string[] | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT customer_id AS id FROM search_terms
    WHERE profile_id = ${profileId} AND term >= ${prefix} AND term < ${endOfPrefix(prefix)} LIMIT ${mostTerms + 1}`.execute(
    tx,
  );
  return rows.length > mostTerms ? undefined : [...new Set(rows.map(({ id }) => id))];
}
