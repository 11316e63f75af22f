import type { Postgres, Tx } from '@tributary/postgres';
import type { Quote } from '@tributary/rules';
import { sql } from 'kysely';

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

/** The rates from each currency and day to the profile's currency; a day without a rate has the last one before it. */
export async function findRates(
  tx: Tx,
  profileId: string,
  wanted: readonly { currency: string; at: Date }[],
): Promise<{ currency: string; find(from: string, at: Date): { rate: string; rateDate: string } | undefined }> {
  const profile = await tx
    .selectFrom('profiles')
    .select(['reporting_currency', 'time_zone'])
    .where('id', '=', profileId)
    .executeTakeFirstOrThrow();
  const target = profile.reporting_currency;
  const foreign = wanted.filter(({ currency }) => currency !== target);
  const { rows } =
    foreign.length === 0
      ? { rows: [] }
      : await sql<{ currency: string; at: Date; rate: string; day: string }>`
          SELECT w.currency, w.at, round(t.per_usd / f.per_usd, 20)::text AS rate, least(t.day, f.day)::text AS day
          FROM unnest(${foreign.map(({ currency }) => currency)}::text[], ${foreign.map(({ at }) => at)}::timestamptz[]) AS w (currency, at)
          CROSS JOIN LATERAL (
            SELECT per_usd, day FROM exchange_rates r WHERE r.currency = w.currency AND r.day <= (w.at AT TIME ZONE ${profile.time_zone})::date
            ORDER BY day DESC LIMIT 1) f
          CROSS JOIN LATERAL (
            SELECT per_usd, day FROM exchange_rates r WHERE r.currency = ${target} AND r.day <= (w.at AT TIME ZONE ${profile.time_zone})::date
            ORDER BY day DESC LIMIT 1) t`.execute(tx);
  const found = new Map(
    rows.map((row) => [`${row.currency} ${row.at.getTime()}`, { rate: row.rate, rateDate: row.day }]),
  );
  return {
    currency: target,
    find: (from, at) =>
      from === target ? { rate: '1', rateDate: at.toISOString().slice(0, 10) } : found.get(`${from} ${at.getTime()}`),
  };
}
