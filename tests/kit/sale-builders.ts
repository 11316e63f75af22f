import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Testkit } from './testkit.ts';

const longAgo = new Date('2026-01-01T00:00:00Z');
type Kit = Pick<Testkit, 'app'>;

/** Inserts a connection that reported payments. */
export async function buildSaleSource(kit: Kit, profileId: string, provider = 'payments_a'): Promise<string> {
  const connectionId = uuid();
  const source = `${provider}:${connectionId}`;
  await kit.app
    .forProfile(profileId)
    .transaction((tx) =>
      tx
        .insertInto('sale_sources')
        .values({ profile_id: profileId, source, connection_id: connectionId, scanned_at: longAgo })
        .execute(),
    );
  return source;
}

/** Inserts two payments of different sources with a suggested match. */
export async function buildSaleMatch(
  kit: Kit,
  profileId: string,
  buildPayment: () => Promise<string>,
): Promise<string> {
  const [first, second] = [await buildPayment(), await buildPayment()].sort() as [string, string];
  const source = await buildSaleSource(kit, profileId);
  const id = uuid();
  await kit.app.forProfile(profileId).transaction(async (tx) => {
    await sql`UPDATE outcomes SET source = 'payments_a', connection_id = ${source.split(':')[1]} WHERE profile_id = ${profileId} AND id = ${second}`.execute(
      tx,
    );
    await sql`INSERT INTO sale_sources (profile_id, source, scanned_at) VALUES (${profileId}, 'api', ${longAgo}) ON CONFLICT DO NOTHING`.execute(
      tx,
    );
    // Both payments need sale records: without them they would count as new and be matched again.
    await sql`
      INSERT INTO sale_records (profile_id, outcome_id, source, occurred_at)
      SELECT profile_id, id, CASE WHEN id = ${first} THEN 'api' ELSE ${source} END, occurred_at FROM outcomes
      WHERE profile_id = ${profileId} AND id IN (${first}, ${second})`.execute(tx);
    const matched = { evidence: 'customer', reference: null, apart_ms: '0', is_certain: false, is_likely: true };
    await tx
      .insertInto('sale_matches')
      .values({
        profile_id: profileId,
        id,
        first_id: first,
        second_id: second,
        first_source: 'api',
        second_source: source,
        ...matched,
        state: 'suggested',
        valid_from: longAgo,
      })
      .execute();
  });
  return id;
}

export async function buildSaleBatch(kit: Kit, profileId: string): Promise<string> {
  const id = uuid();
  const decided = { decision: 'rejected', matches: 0, actor_kind: 'api_key', actor_id: uuid(), decided_at: longAgo };
  await kit.app.forProfile(profileId).transaction((tx) =>
    tx
      .insertInto('sale_batches')
      .values({ profile_id: profileId, id, ...decided })
      .execute(),
  );
  return id;
}
