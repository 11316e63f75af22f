import type { Moment, Row } from '@tributary/clickhouse';
import { findDeliveryWait } from '@tributary/domain/advertising/campaigns';
import { dailyRates } from '@tributary/domain/commerce/money';
import { sumUncounted, sumWithoutRate } from '@tributary/domain/commerce/outcomes';
import { readAttributionStage, type Stage, stageOf } from '@tributary/domain/measurement/attribution';
import { findDays, type ProfileDays } from '@tributary/domain/tenancy/tenants';
import type { Tx } from '@tributary/postgres';
import { dayOf, daysOf, moneyText } from '@tributary/rules';
import type { ExcludedKind, ExclusionReason } from '@tributary/vocabulary';
import { momentOf, periodAsOf, readMoment, settledMoment } from './moment.ts';
import { rateParameters } from './rate-parameters.ts';
import type { ReportContext } from './services.ts';

/** The days of a report, as query parameters for both stores. */
export interface Period extends ProfileDays {
  readonly profileId: string;
  readonly firstDay: string;
  readonly lastDay: string;
  /** The moment as of which its queries read. */
  readonly moment: Moment;
  /** Metadata that every report includes. */
  readonly about: About;
}

interface About {
  /** Set for a report of a past moment: the settled moment that was read. */
  readonly as_of?: string;
  readonly currency: string;
  readonly exclusions: Exclusion[];
  readonly freshness: { readonly attribution: StageResponse; readonly delivery: StageResponse };
}

export interface Exclusion {
  readonly of: ExcludedKind;
  readonly reason: ExclusionReason;
  readonly currency: string;
  readonly count: number;
  readonly amount: string;
}

type StageResponse = ReturnType<typeof toStageResponse>;
const toStageResponse = ({ state, waitingSince }: Stage) => ({
  state,
  waiting_since: waitingSince?.toISOString() ?? null,
});

/** How up to date a profile's figures are. */
export async function readFreshness(tx: Tx, profileId: string, now: Date): Promise<About['freshness']> {
  return freshnessOf(tx, profileId, await findDeliveryWait(tx, profileId), now);
}

const freshnessOf = async (tx: Tx, profileId: string, waitingSince: Date | null, now: Date) => ({
  attribution: toStageResponse(await readAttributionStage(tx, profileId, now)),
  delivery: toStageResponse(stageOf(waitingSince, now)),
});

/** Payments of a period that count for nothing: without an exchange rate, or duplicates of a counted record. */
export async function paymentsWithoutRate(tx: Tx, profileId: string, from: Date, until: Date): Promise<Exclusion[]> {
  const unpriced = await sumWithoutRate(tx, profileId, from, until);
  const uncounted = await sumUncounted(tx, profileId, from, until);
  return [
    ...unpriced.map((one) => ({ of: 'payments' as const, reason: 'no_exchange_rate' as const, ...one })),
    ...uncounted.map((one) => ({ of: 'payments' as const, ...one })),
  ].map((one) => ({ ...one, amount: moneyText(one.amount, one.currency) }));
}

/** Spend without an exchange rate, by currency. */
export const spendWithoutRate = (left: readonly Row<'delivery_list_without_rate'>[]): Exclusion[] =>
  left.flatMap(({ currency, days, amount }) => withoutRate('spend', currency, days, amount));

/** Platform-reported conversion value without an exchange rate, by currency. */
const platformValueWithoutRate = (left: readonly Row<'delivery_list_without_rate'>[]): Exclusion[] =>
  left.flatMap((row) => withoutRate('platform_value', row.currency, row.value_days, row.platform_value));

const withoutRate = (of: ExcludedKind, currency: string, days: string, amount: string): Exclusion[] =>
  days === '0'
    ? []
    : [{ of, reason: 'no_exchange_rate', currency, count: Number(days), amount: moneyText(amount, currency) }];

interface Range {
  readonly date_from: string;
  readonly date_to: string;
  readonly as_of?: string | undefined;
}

/** ClickHouse stores no other years. A report outside this range has no rows, so it is empty instead of refused. */
const earliest = new Date('1970-01-02T00:00:00Z');
const latest = new Date('2149-01-01T00:00:00Z');

const clampMoment = (moment: Date): Date => new Date(Math.min(Math.max(+moment, +earliest), +latest));
const clampDay = (day: string): string =>
  day < dayOf(earliest) ? dayOf(earliest) : day > dayOf(latest) ? dayOf(latest) : day;

export function readPeriod(
  range: Range,
  { caller, ledger, now }: Pick<ReportContext, 'caller' | 'ledger' | 'now'>,
): Promise<Period> {
  const profileId = caller.profileId;
  const requested = range.as_of === undefined ? undefined : readMoment(range.as_of, now);
  return ledger.transaction(
    async (tx) => {
      const waitingSince = await findDeliveryWait(tx, profileId);
      const asOf = requested && settledMoment(requested, waitingSince, now);
      const found = await findDays(tx, profileId, range.date_from, range.date_to, asOf);
      const [from, until] = [clampMoment(found.from), clampMoment(found.until)];
      const days = {
        ...found,
        from,
        until,
        profileId,
        firstDay: clampDay(range.date_from),
        lastDay: clampDay(range.date_to),
      };
      if (asOf) return { ...days, ...periodAsOf(asOf, found.currency) };
      return {
        ...days,
        moment: { moment: 'now' },
        about: {
          currency: found.currency,
          exclusions: await paymentsWithoutRate(tx, profileId, from, until),
          freshness: await freshnessOf(tx, profileId, waitingSince, now),
        },
      };
    },
    { readOnly: true },
  );
}

/** A period with the parameters of the delivery queries. */
export interface DeliveryPeriod {
  readonly period: Period;
  readonly rates: ReadonlyMap<string, { readonly rate: string; readonly rateDate: string }>;
  readonly parameters: ReturnType<typeof parametersOf>;
  /** Platform-reported conversion value without an exchange rate; only the platform comparison shows it. */
  readonly excludedValue: readonly Exclusion[];
}

/** Reads a period with the exchange rates of its days for all currencies with spend. `ratesAsOf` selects the rates of another moment. */
export async function readDeliveryPeriod(
  range: Range,
  context: ReportContext,
  ratesAsOf?: Date,
): Promise<DeliveryPeriod> {
  const { ledger, clickhouse, signal, caller } = context;
  const days = { first_day: clampDay(range.date_from), last_day: clampDay(range.date_to) };
  const currenciesOf = (moment: Moment) =>
    clickhouse.query('delivery_list_currencies', { profile_id: caller.profileId, ...days, ...moment }, { signal });
  const [period, current] = await Promise.all([
    readPeriod(range, context),
    range.as_of === undefined ? currenciesOf({ moment: 'now' }) : undefined,
  ]);
  const used = current ?? (await currenciesOf(period.moment));
  const foreign = used.map(({ currency }) => currency).filter((currency) => currency !== period.currency);
  const rates =
    foreign.length === 0
      ? new Map()
      : await ledger.transaction(
          (tx) =>
            dailyRates(tx, {
              to: period.currency,
              currencies: foreign,
              ...period,
              asOf: ratesAsOf ?? momentOf(period),
            }),
          {
            readOnly: true,
          },
        );
  const parameters = parametersOf(period, rates);
  // A rate applies until the next one: a currency with a rate for every day of the period excludes nothing.
  const isWhole = rates.size >= foreign.length * daysOf(days.first_day, days.last_day).length;
  const left = isWhole
    ? []
    : await clickhouse.query('delivery_list_without_rate', { ...parameters, level: 'campaign' }, { signal });
  const about = { ...period.about, exclusions: [...period.about.exclusions, ...spendWithoutRate(left)] };
  return { period: { ...period, about }, rates, parameters, excludedValue: platformValueWithoutRate(left) };
}

/** Combines a period and rates that are already loaded. */
export const deliveryPeriodOf = (period: Period, rates: DeliveryPeriod['rates']): DeliveryPeriod => ({
  period,
  rates,
  parameters: parametersOf(period, rates),
  excludedValue: [],
});

function parametersOf(period: Period, rates: DeliveryPeriod['rates']) {
  return {
    profile_id: period.profileId,
    first_day: period.firstDay,
    last_day: period.lastDay,
    currency: period.currency,
    ...period.moment,
    ...rateParameters([...rates].map(([currencyAndDay, { rate }]) => `${currencyAndDay} ${rate}`)),
  };
}

export const rateKey = (currency: string, day: string): string => `${currency} ${day}`;

/** All days of a range, including days outside the range that the stores support. */
export const daysOfRange = ({ date_from, date_to }: Range): string[] => daysOf(date_from, date_to);
