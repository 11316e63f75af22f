import { getProfile, type ProfileFacts } from '@tributary/domain/tenancy/tenants';
import type { Postgres, Schema, Tx } from '@tributary/postgres';
import type { Quote } from '@tributary/rules';
import { type Selectable, sql } from 'kysely';

/** Stores quotes as units per US dollar. Quotes of a bank never overwrite those from the operator's file. */
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

export type RateRow = Selectable<Schema['exchange_rates']>;

/** Copies all rates to a server that has none, with the owner role. Its worker fetches later rates. */
export async function copyRates(from: Postgres, to: Postgres): Promise<number> {
  const isEmpty = (await to.unbound.lookUp('SELECT 1 FROM exchange_rates LIMIT 1')).length === 0;
  if (!isEmpty) return 0;
  let copied = 0;
  const page = (after: RateRow | undefined) =>
    from.unbound.query(sql<RateRow>`
      SELECT currency, day::text, per_usd::text, source FROM exchange_rates
      WHERE (currency, day) > (${after?.currency ?? ''}, ${after?.day ?? '0001-01-01'}::date) ORDER BY currency, day LIMIT 10000`);
  for (let { rows } = await page(undefined); rows.length > 0; { rows } = await page(rows.at(-1))) {
    await to.unbound.query(sql`
      INSERT INTO exchange_rates (currency, day, per_usd, source)
      SELECT * FROM unnest(${rows.map((row) => row.currency)}::text[], ${rows.map((row) => row.day)}::date[],
        ${rows.map((row) => row.per_usd)}::numeric[], ${rows.map((row) => row.source)}::text[])
      ON CONFLICT DO NOTHING`);
    copied += rows.length;
  }
  return copied;
}

/** The value of one unit of a currency in another. `rateDate` is earlier than the requested day if that day has no rate. */
export interface Rate {
  readonly rate: string;
  readonly rateDate: string;
}

/** Rates to one currency by currency and day. Days before the first rate are missing. */
export async function dailyRates(
  tx: Tx,
  range: {
    readonly to: string;
    readonly currencies: readonly string[];
    readonly firstDay: string;
    readonly lastDay: string;
    /** Uses the rates known at this instant. */
    readonly asOf?: Date | undefined;
  },
): Promise<Map<string, Rate>> {
  const rate = range.asOf
    ? sql`exchange_rate_then(w.currency, ${range.to}, d.day::date, ${range.asOf})`
    : sql`exchange_rate(w.currency, ${range.to}, d.day::date)`;
  const { rows } = await sql<Rate & { currency: string; day: string }>`
    SELECT w.currency, d.day::date::text AS day, r.rate::text, r.rate_date::text AS "rateDate"
    FROM unnest(${range.currencies}::text[]) AS w (currency)
    CROSS JOIN generate_series(${range.firstDay}::date, ${range.lastDay}::date, interval '1 day') AS d (day)
    CROSS JOIN LATERAL ${rate} AS r`.execute(tx);
  return new Map(rows.map(({ currency, day, rate, rateDate }) => [`${currency} ${day}`, { rate, rateDate }]));
}

export interface RateDay {
  readonly currency: string;
  readonly day: string;
}

/** Rates of given days to one currency; with `asOf`, as known at that instant. */
export async function findDailyRates(
  tx: Tx,
  to: string,
  days: readonly RateDay[],
  asOf?: Date,
): Promise<(RateDay & Rate)[]> {
  if (days.length === 0) return [];
  const rate = asOf
    ? sql`exchange_rate_then(w.currency, ${to}, w.day, ${asOf})`
    : sql`exchange_rate(w.currency, ${to}, w.day)`;
  const { rows } = await sql<RateDay & Rate>`
    SELECT w.currency, w.day::text AS day, r.rate::text, r.rate_date::text AS "rateDate"
    FROM unnest(${days.map(({ currency }) => currency)}::text[], ${days.map(({ day }) => day)}::date[]) AS w (currency, day)
    CROSS JOIN LATERAL ${rate} AS r`.execute(tx);
  return rows;
}

/** The rates to a profile's currency. */
export interface Rates {
  readonly currency: string;
  find(from: string, at: Date): Rate | undefined;
}

/** Rates to the profile's currency at given instants, whose days are in the profile's time zone. */
export const findRates = async (tx: Tx, profileId: string, amounts: readonly PricedMoment[]): Promise<Rates> =>
  ratesOf(tx, await getProfile(tx, profileId), amounts);

interface PricedMoment {
  readonly currency: string;
  readonly at: Date;
}

/** Like `findRates`, for a known profile. Runs no query if all amounts are in the profile's currency. */
export async function ratesOf(
  tx: Tx,
  { currency: to, timeZone }: Pick<ProfileFacts, 'currency' | 'timeZone'>,
  amounts: readonly PricedMoment[],
): Promise<Rates> {
  const foreign = amounts.filter(({ currency }) => currency !== to);
  const { rows } =
    foreign.length === 0
      ? { rows: [] }
      : await sql<Rate & { currency: string; at: Date }>`
          SELECT w.currency, w.at, r.rate::text, r.rate_date::text AS "rateDate"
          FROM unnest(${foreign.map(({ currency }) => currency)}::text[], ${foreign.map(({ at }) => at)}::timestamptz[]) AS w (currency, at)
          CROSS JOIN LATERAL exchange_rate(w.currency, ${to}, (w.at AT TIME ZONE ${timeZone})::date) AS r`.execute(tx);
  const found = new Map(
    rows.map(({ currency, at, rate, rateDate }) => [`${currency} ${at.getTime()}`, { rate, rateDate }]),
  );
  return {
    currency: to,
    find: (from, at) =>
      from === to ? { rate: '1', rateDate: at.toISOString().slice(0, 10) } : found.get(`${from} ${at.getTime()}`),
  };
}
