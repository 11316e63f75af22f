import type { Postgres, Tx } from '@tributary/postgres';
import { convert, fromMinorUnits, type Quote } from '@tributary/rules';
import { sql } from 'kysely';
import { findRates, markDirty } from './store.ts';

/** Keeps quotes as units for one dollar. What an operator's own file says of a day, no bank overwrites. */
export async function saveRates(system: Postgres, source: string, quotes: readonly Quote[]): Promise<void> {
  const distinct = [...new Map(quotes.map((quote) => [`${quote.day} ${quote.currency}`, quote])).values()];
  await system.unbound.query(sql`
    INSERT INTO exchange_rates (currency, day, per_usd, source)
    SELECT currency, day, CASE currency WHEN 'USD' THEN 1 ELSE round(units / usd, 20) END, ${source}
    FROM unnest(
      ${distinct.map(({ currency }) => currency)}::text[], ${distinct.map(({ day }) => day)}::date[],
      ${distinct.map(({ units }) => units)}::numeric[], ${distinct.map(({ usd }) => usd)}::numeric[]
    ) AS q (currency, day, units, usd)
    ORDER BY currency, day
    ON CONFLICT (currency, day) DO UPDATE SET per_usd = excluded.per_usd, source = excluded.source
    WHERE exchange_rates.source <> 'file' OR excluded.source = 'file'`);
}

/**
 * The rates of whole days to one currency, by currency and day; a day without a rate has the last one before it. A day before the
 * first rate has none.
 */
export async function dailyRates(
  tx: Tx,
  of: {
    readonly to: string;
    readonly currencies: readonly string[];
    readonly firstDay: string;
    readonly lastDay: string;
  },
): Promise<Map<string, { readonly rate: string; readonly rateDate: string }>> {
  const { rows } = await sql<{ currency: string; day: string; rate: string; rateDate: string }>`
    SELECT w.currency, d.day::date::text AS day, round(t.per_usd / f.per_usd, 20)::text AS rate, least(t.day, f.day)::text AS "rateDate"
    FROM unnest(${of.currencies}::text[]) AS w (currency)
    CROSS JOIN generate_series(${of.firstDay}::date, ${of.lastDay}::date, interval '1 day') AS d (day)
    CROSS JOIN LATERAL (
      SELECT per_usd, day FROM exchange_rates r WHERE r.currency = w.currency AND r.day <= d.day ORDER BY day DESC LIMIT 1) f
    CROSS JOIN LATERAL (
      SELECT per_usd, day FROM exchange_rates r WHERE r.currency = ${of.to} AND r.day <= d.day ORDER BY day DESC LIMIT 1) t`.execute(
    tx,
  );
  return new Map(rows.map(({ currency, day, rate, rateDate }) => [`${currency} ${day}`, { rate, rateDate }]));
}

const batchSize = 500;

/**
 * Gives outcomes whose rate has arrived since their value in the profile's currency, a batch at a time, and marks them dirty. One
 * that has a value keeps it: money is converted once. Resolves to how many.
 */
export async function priceOutcomes(app: Postgres, system: Postgres, signal: AbortSignal): Promise<number> {
  let total = 0;
  let after = { profileId: firstId, outcomeId: firstId };
  while (!signal.aborted) {
    const { rows } = await system.unbound.query(sql<{ profileId: string; outcomeId: string }>`
      SELECT q.profile_id AS "profileId", q.outcome_id AS "outcomeId" FROM outcomes_without_rate q
      WHERE (q.profile_id, q.outcome_id) > (${after.profileId}::uuid, ${after.outcomeId}::uuid)
        -- A day more, because the profile's day may be ahead of UTC's.
        AND EXISTS (SELECT FROM exchange_rates r WHERE r.currency = q.currency AND r.day <= q.occurred_at::date + 1)
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

const firstId = '00000000-0000-0000-0000-000000000000';

const priceOfProfile = (app: Postgres, profileId: string, outcomeIds: readonly string[]): Promise<number> =>
  app.forProfile(profileId).transaction(async (tx) => {
    const { rows } = await sql<{ id: string; at: Date; amount: string; currency: string; isPriced: boolean }>`
      SELECT id, occurred_at AS at, amount::text, currency, reporting_amount IS NOT NULL AS "isPriced" FROM outcomes
      WHERE profile_id = ${profileId} AND id = ANY (${outcomeIds}::uuid[]) AND amount IS NOT NULL
      ORDER BY idempotency_key FOR NO KEY UPDATE`.execute(tx);
    const open = rows.filter(({ isPriced }) => !isPriced);
    const rates = await findRates(tx, profileId, open);
    const priced = open.flatMap(({ id, at, amount, currency }) => {
      const found = rates.find(currency, at);
      if (!found) return [];
      return [{ id, amount: fromMinorUnits(convert(amount, found.rate, rates.currency), rates.currency), ...found }];
    });
    await sql`
      UPDATE outcomes o SET reporting_amount = p.amount, reporting_currency = ${rates.currency}, rate = p.rate, rate_date = p.day
      FROM unnest(
        ${priced.map(({ id }) => id)}::uuid[], ${priced.map(({ amount }) => amount)}::numeric[],
        ${priced.map(({ rate }) => rate)}::numeric[], ${priced.map(({ rateDate }) => rateDate)}::date[]
      ) AS p (id, amount, rate, day) WHERE o.profile_id = ${profileId} AND o.id = p.id`.execute(tx);
    await markDirty(tx, profileId, new Map(priced.map(({ id }) => [id, 'rate'])));
    // Those that are gone, priced otherwise or without money by now wait for nothing either.
    const waiting = new Set(open.map(({ id }) => id));
    for (const { id } of priced) waiting.delete(id);
    const done = outcomeIds.filter((id) => !waiting.has(id));
    await sql`DELETE FROM outcomes_without_rate WHERE profile_id = ${profileId} AND outcome_id = ANY (${done}::uuid[])`.execute(
      tx,
    );
    return priced.length;
  });
