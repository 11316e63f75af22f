import type { Readable } from 'node:stream';
import type { ProfileContext } from '@tributary/operations';
import { attributionModelNames } from '@tributary/vocabulary';
import { type Period, readPeriod } from './period.ts';
import type { ReportServices } from './services.ts';

type DayContext = Pick<ProfileContext, 'caller' | 'ledger' | 'signal' | 'now'> & ReportServices;

/** The totals that the report shows for one day: conversions, payments, and cash in minor units. */
export interface DayFigures {
  readonly conversions: number;
  readonly payments: number;
  readonly value: string;
}

export interface AttributedDay extends DayFigures {
  readonly rows: number;
  /** Streams the rows of the day as a Parquet file. */
  read(): Promise<Readable>;
}

/** Opens a range of attributed days at one settled moment, so that every day is read in the same state, no matter when it is read. */
export async function openAttributedDays(
  asOf: string,
  range: { date_from: string; date_to: string },
  context: DayContext,
) {
  const whole = await readPeriod({ ...range, as_of: asOf }, context);
  const settled = whole.about.as_of ?? asOf;
  return {
    asOf: settled,
    currency: whole.currency,
    timeZone: whole.timeZone,
    whole: await readFigures(whole, context),
    async open(day: string): Promise<AttributedDay> {
      const period = await readPeriod({ date_from: day, date_to: day, as_of: settled }, context);
      const { profileId, from, until, moment } = period;
      const parameters = { profile_id: profileId, level: 'ad', from, until, ...moment } as const;
      const [sum] = await context.clickhouse.query('attributed_sum', parameters, { signal: context.signal });
      const figures = await readFigures(period, context);
      const { rows = '0', conversions = '0', payments = '0', cash = [] } = sum ?? {};
      const isSame =
        Number(conversions) === figures.conversions &&
        Number(payments) === figures.payments &&
        cash.length === attributionModelNames.length &&
        cash.every((value) => value === figures.value);
      if (!isSame) throw new Error(`What would be written of ${day} is not what its report says.`);
      return {
        ...figures,
        rows: Number(rows),
        read: () => context.clickhouse.parquet('attributed_list', parameters, { signal: context.signal }),
      };
    },
  };
}

async function readFigures(period: Period, { clickhouse, signal }: DayContext): Promise<DayFigures> {
  const { profileId, from, until, timeZone, moment } = period;
  const parameters = { profile_id: profileId, from, until, time_zone: timeZone, ...moment };
  const rows = await clickhouse.query('report_read_overview', parameters, { signal });
  const sum = (figure: 'conversions' | 'payments' | 'value') =>
    rows.filter(({ is_of_day }) => is_of_day === 1).reduce((total, row) => total + BigInt(row[figure]), 0n);
  return { conversions: Number(sum('conversions')), payments: Number(sum('payments')), value: String(sum('value')) };
}
