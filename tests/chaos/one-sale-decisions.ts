import { sql } from 'kysely';
import type { Book } from './one-sale-book.ts';
import type { Shop } from './one-sale-shop.ts';

/** What members decide of the pairs that no rule can, and that they take back all of it. */
export async function decide(shop: Shop, book: Book): Promise<number> {
  const wanted = new Map<string, 'confirmed' | 'rejected'>();
  for (const { records, undecided } of book.sales)
    if (undecided) for (const { key } of records) wanted.set(key, undecided.decision);
  const { rows } = await shop.ledger.transaction((tx) =>
    sql<{ first: string; second: string; key: string }>`
      SELECT m.first_id AS first, m.second_id AS second, regexp_replace(a.idempotency_key, '^[a-z_]+:(.*):payment_received$', '\\1') AS key
      FROM sale_matches m JOIN outcomes a ON a.profile_id = m.profile_id AND a.id = m.first_id WHERE m.valid_to IS NULL`.execute(
      tx,
    ),
  );
  const pairs = rows.flatMap(({ first, second, key }) => {
    const decision = wanted.get(key);
    return decision ? [{ first, second, decision }] : [];
  });
  await shop.ledger.transaction(async (tx) => {
    await sql`
      INSERT INTO sale_decisions (profile_id, first_id, second_id, decision, actor_kind, actor_id, decided_at)
      SELECT ${shop.profileId}::uuid, first_id, second_id, decision, 'user', 'drill', now()
      FROM unnest(${pairs.map(({ first }) => first)}::uuid[], ${pairs.map(({ second }) => second)}::uuid[],
        ${pairs.map(({ decision }) => decision)}::text[]) AS p (first_id, second_id, decision)`.execute(tx);
    await markDecided(tx, shop.profileId);
  });
  return pairs.length;
}

export async function undoDecisions(shop: Shop): Promise<void> {
  await shop.ledger.transaction(async (tx) => {
    await markDecided(tx, shop.profileId);
    await sql`DELETE FROM sale_decisions WHERE profile_id = ${shop.profileId}`.execute(tx);
  });
}

const markDecided = (tx: Parameters<Parameters<Shop['ledger']['transaction']>[0]>[0], profileId: string) =>
  sql`
    INSERT INTO dirty_sales AS d (profile_id, outcome_id)
    SELECT profile_id, first_id FROM sale_decisions WHERE profile_id = ${profileId}
    UNION SELECT profile_id, second_id FROM sale_decisions WHERE profile_id = ${profileId}
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'), is_matched = false`.execute(
    tx,
  );
