import { findRates } from '@tributary/domain/commerce/money';
import { getProfile, recordRepriced } from '@tributary/domain/tenancy/tenants';
import type { Postgres, Tx } from '@tributary/postgres';
import { convert, fromMinorUnits, netAmount } from '@tributary/rules';
import { nilUuid } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { markDirty } from './mark-dirty.ts';

const batchSize = 500;

/**
 * Converts outcomes whose exchange rate has arrived since, in batches, and marks them dirty. Outcomes that already have a value keep it, because
 * money is converted once. Resolves to the number converted.
 */
export async function priceOutcomes(app: Postgres, system: Postgres, signal: AbortSignal): Promise<number> {
  let total = 0;
  let after = { profileId: nilUuid, outcomeId: nilUuid };
  while (!signal.aborted) {
    const { rows } = await system.unbound.query(sql<{ profileId: string; outcomeId: string }>`
      SELECT q.profile_id AS "profileId", q.outcome_id AS "outcomeId" FROM outcomes_without_rate q
      WHERE (q.profile_id, q.outcome_id) > (${after.profileId}::uuid, ${after.outcomeId}::uuid)
        -- Only if its currency has a rate by then. One day more, because the profile's day may be ahead of UTC.
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
    const rows = await lockPriced(tx, profileId, outcomeIds);
    const open = rows.filter(({ pricedIn }) => pricedIn === null);
    const priced = await price(tx, profileId, open);
    await markDirty(tx, profileId, new Map(priced.map((id) => [id, ['rate']])));
    // Also removes outcomes that were deleted, already converted or lost their money.
    const waiting = new Set(open.map(({ id }) => id));
    for (const id of priced) waiting.delete(id);
    const done = outcomeIds.filter((id) => !waiting.has(id));
    await sql`DELETE FROM outcomes_without_rate WHERE profile_id = ${profileId} AND outcome_id = ANY (${done}::uuid[])`.execute(
      tx,
    );
    return priced.length;
  });

/**
 * Converts amounts that are not in the profile's currency again, from the original amount, in batches, and marks them dirty. Outcomes without a
 * rate lose their value and wait for one. Resolves to the number of outcomes.
 */
export async function repriceOutcomes(
  app: Postgres,
  { profileId }: { readonly profileId: string },
  signal: AbortSignal,
): Promise<number> {
  const ledger = app.forProfile(profileId);
  let total = 0;
  // Repeats until nothing is found: a writer that read the old currency before the change may still write values in it.
  for (let found = -1; found !== 0 && !signal.aborted; total += found) {
    found = 0;
    for (let after = nilUuid; !signal.aborted; ) {
      const ids = await ledger.transaction((tx) => repriceBatch(tx, profileId, after));
      found += ids.length;
      if (ids.length < batchSize) break;
      after = ids.at(-1) as string;
    }
  }
  if (!signal.aborted) await ledger.transaction((tx) => recordRepriced(tx, profileId));
  return total;
}

async function repriceBatch(tx: Tx, profileId: string, after: string): Promise<string[]> {
  const { currency } = await getProfile(tx, profileId);
  const { rows: found } = await sql<{ id: string }>`
    SELECT id FROM outcomes WHERE profile_id = ${profileId} AND id > ${after} AND reporting_currency <> ${currency}
    ORDER BY id LIMIT ${batchSize}`.execute(tx);
  const ids = found.map(({ id }) => id);
  if (ids.length === 0) return ids;
  const rows = await lockPriced(tx, profileId, ids);
  const priced = new Set(await price(tx, profileId, rows));
  const unpriced = rows.map(({ id }) => id).filter((id) => !priced.has(id));
  // Sets `amount` so that the trigger on it records the missing rate.
  await sql`
    UPDATE outcomes SET amount = amount, reporting_amount = NULL, reporting_currency = NULL, rate = NULL, rate_date = NULL
    WHERE profile_id = ${profileId} AND id = ANY (${unpriced}::uuid[])`.execute(tx);
  await markDirty(tx, profileId, new Map(ids.map((id) => [id, ['currency']])));
  return ids;
}

interface Money {
  readonly id: string;
  readonly at: Date;
  readonly amount: string;
  readonly refunded: string;
  readonly currency: string;
  readonly pricedIn: string | null;
}

/** Locks outcomes in the lock order of all writers. */
async function lockPriced(tx: Tx, profileId: string, ids: readonly string[]): Promise<Money[]> {
  const { rows } = await sql<Money>`
    SELECT id, occurred_at AS at, amount::text, refunded::text, currency, reporting_currency AS "pricedIn" FROM outcomes
    WHERE profile_id = ${profileId} AND id = ANY (${ids}::uuid[]) AND amount IS NOT NULL
    ORDER BY idempotency_key FOR NO KEY UPDATE`.execute(tx);
  return rows;
}

/** Resolves to the ids for which a rate was found. */
async function price(tx: Tx, profileId: string, money: readonly Money[]): Promise<string[]> {
  const rates = await findRates(tx, profileId, money);
  const priced = money.flatMap(({ id, at, amount, refunded, currency }) => {
    const found = rates.find(currency, at);
    if (!found) return [];
    const net = convert(netAmount(amount, refunded), found.rate, rates.currency);
    return [{ id, amount: fromMinorUnits(net, rates.currency), ...found }];
  });
  await sql`
    UPDATE outcomes o SET reporting_amount = p.amount, reporting_currency = ${rates.currency}, rate = p.rate, rate_date = p.day
    FROM unnest(
      ${priced.map(({ id }) => id)}::uuid[], ${priced.map(({ amount }) => amount)}::numeric[],
      ${priced.map(({ rate }) => rate)}::numeric[], ${priced.map(({ rateDate }) => rateDate)}::date[]
    ) AS p (id, amount, rate, day) WHERE o.profile_id = ${profileId} AND o.id = p.id`.execute(tx);
  return priced.map(({ id }) => id);
}
