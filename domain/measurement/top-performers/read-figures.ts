import type { ClickHouse, Row } from '@tributary/clickhouse';
import { findDailyRates } from '@tributary/domain/commerce/money';
import {
  type Exclusion,
  maxRates,
  paymentsWithoutRate,
  rateParameters,
  spendWithoutRate,
} from '@tributary/domain/measurement/reports';
import { findDays, type ProfileFacts } from '@tributary/domain/tenancy/tenants';
import type { Postgres } from '@tributary/postgres';
import type { WindowOfDays } from './windows.ts';

export interface Engines {
  readonly app: Postgres;
  readonly clickhouse: ClickHouse;
}

/** Per profile. Beyond it the ads with the lowest spend are left out, which keeps a rebuild below a few hundred megabytes. */
const maxAds = 50_000;

/** Cost and results of the ads of a window. */
export interface WindowFigures {
  readonly figures: Row<'ad_list_figures'>[];
  /** Amounts of the window that could not be converted. */
  findExclusions(): Promise<Exclusion[]>;
}

export async function readFigures(
  { app, clickhouse }: Engines,
  profileId: string,
  { currency, timeZone }: ProfileFacts,
  { firstDay, lastDay }: WindowOfDays,
  signal: AbortSignal,
): Promise<WindowFigures> {
  const ledger = app.forProfile(profileId);
  const days = { profile_id: profileId, first_day: firstDay, last_day: lastDay, currency };
  const foreign = await clickhouse.query('ad_list_rate_days', { ...days, limit: maxRates }, { signal });
  const { period, rates } = await ledger.transaction(
    async (tx) => ({
      period: await findDays(tx, profileId, firstDay, lastDay),
      rates: await findDailyRates(tx, currency, foreign),
    }),
    { readOnly: true },
  );
  const delivery = {
    ...days,
    ...rateParameters(rates.map((rate) => `${rate.currency} ${rate.day} ${rate.rate}`)),
    level: 'ad',
    moment: 'now',
  } as const;
  const figures = await clickhouse.query(
    'ad_list_figures',
    {
      ...delivery,
      model: 'last_touch',
      owners: 'entities',
      from: period.from,
      until: period.until,
      time_zone: timeZone,
      limit: maxAds,
    },
    { signal },
  );
  return {
    figures,
    async findExclusions() {
      const payments = await ledger.transaction((tx) => paymentsWithoutRate(tx, profileId, period.from, period.until), {
        readOnly: true,
      });
      const left =
        foreign.length === rates.length
          ? []
          : await clickhouse.query('delivery_list_without_rate', delivery, { signal });
      return [...payments, ...spendWithoutRate(left)];
    },
  };
}
