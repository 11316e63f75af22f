import { findRates } from '@tributary/domain/money';
import type { Postgres } from '@tributary/postgres';
import { convert, fromMinorUnits, netOf } from '@tributary/rules';
import { nilUuid } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { markDirty } from './mark-dirty.ts';

const batchSize = 500;

/**
 * Gives outcomes whose rate has arrived since their value in the profile's currency, a batch at a time, and marks them dirty. One
 * that has a value keeps it: money is converted once. Resolves to how many.
 */
export async function priceOutcomes(app: Postgres, system: Postgres, signal: AbortSignal): Promise<number> {
  let total = 0;
  let after = { profileId: nilUuid, outcomeId: nilUuid };
  while (!signal.aborted) {
    const { rows } = await system.unbound.query(sql<{ profileId: string; outcomeId: string }>`
      SELECT q.profile_id AS "profileId", q.outcome_id AS "outcomeId" FROM outcomes_without_rate q
      WHERE (q.profile_id, q.outcome_id) > (${after.profileId}::uuid, ${after.outcomeId}::uuid)
        -- Whether its currency has any rate by then. A day more, because the profile's day may be ahead of UTC's.
        AND EXISTS (SELECT FROM exchange_rate(q.currency, q.currency, q.occurred_at::date + 1))
      ORDER BY q.profile_id, q.outcome_id LIMIT ${batchSize}`);
    for (const [profileId, waiting] of Map.groupBy(rows, (row) => row.profileId)) {
      total += await priceOfProfile(
        app,
        profileId,
        waiting.map(({ outcomeId }) => outcomeId),
      );
    }
    const last = rows.at(-1);
    if (!last || rows.length < batchSize) break;
    after = last;
  }
  return total;
}

const priceOfProfile = (app: Postgres, profileId: string, outcomeIds: readonly string[]): Promise<number> =>
  app.forProfile(profileId).transaction(async (tx) => {
    const { rows } = await sql<{
      id: string;
      at: Date;
      amount: string;
      refunded: string;
      currency: string;
      isPriced: boolean;
    }>`
      SELECT id, occurred_at AS at, amount::text, refunded::text, currency, reporting_amount IS NOT NULL AS "isPriced" FROM outcomes
      WHERE profile_id = ${profileId} AND id = ANY (${outcomeIds}::uuid[]) AND amount IS NOT NULL
      ORDER BY idempotency_key FOR NO KEY UPDATE`.execute(tx);
    const open = rows.filter(({ isPriced }) => !isPriced);
    const rates = await findRates(tx, profileId, open);
    const priced = open.flatMap(({ id, at, amount, refunded, currency }) => {
      const found = rates.find(currency, at);
      if (!found) return [];
      const net = convert(netOf(amount, refunded), found.rate, rates.currency);
      return [{ id, amount: fromMinorUnits(net, rates.currency), ...found }];
    });
    await sql`
      UPDATE outcomes o SET reporting_amount = p.amount, reporting_currency = ${rates.currency}, rate = p.rate, rate_date = p.day
      FROM unnest(
        ${priced.map(({ id }) => id)}::uuid[], ${priced.map(({ amount }) => amount)}::numeric[],
        ${priced.map(({ rate }) => rate)}::numeric[], ${priced.map(({ rateDate }) => rateDate)}::date[]
      ) AS p (id, amount, rate, day) WHERE o.profile_id = ${profileId} AND o.id = p.id`.execute(tx);
    await markDirty(tx, profileId, new Map(priced.map(({ id }) => [id, ['rate']])));
    // Those that are gone, priced otherwise or without money by now wait for nothing either.
    const waiting = new Set(open.map(({ id }) => id));
    for (const { id } of priced) waiting.delete(id);
    const done = outcomeIds.filter((id) => !waiting.has(id));
    await sql`DELETE FROM outcomes_without_rate WHERE profile_id = ${profileId} AND outcome_id = ANY (${done}::uuid[])`.execute(
      tx,
    );
    return priced.length;
  });
