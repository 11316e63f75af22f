import type { Readable } from 'node:stream';
import type { ProfileContext } from '@tributary/operations';
import { attributionModelNames } from '@tributary/vocabulary';
import { type Period, readPeriod } from './period.ts';
import type { ReportServices } from './services.ts';

type Asked = Pick<ProfileContext, 'caller' | 'ledger' | 'signal' | 'now'> & ReportServices;

/** What the report of a day says: conversions, payments, and cash in minor units. */
export interface DayFigures {
  readonly conversions: number;
  readonly payments: number;
  readonly value: string;
}

export interface AttributedDay extends DayFigures {
  readonly rows: number;
  /** The rows of the day as a Parquet file. */
  read(): Promise<Readable>;
}

/** Days of attributed conversions as they stood at a settled moment, so that all of them are of the same one, whenever each is read. */
export async function openAttributedDays(asOf: string, range: { date_from: string; date_to: string }, asked: Asked) {
  const whole = await readPeriod({ ...range, as_of: asOf }, asked);
  const settled = whole.about.as_of ?? asOf;
  return {
    asOf: settled,
    currency: whole.currency,
    timeZone: whole.timeZone,
    whole: await readFigures(whole, asked),
    async open(day: string): Promise<AttributedDay> {
      const period = await readPeriod({ date_from: day, date_to: day, as_of: settled }, asked);
      const { profileId, from, until, moment } = period;
      const parameters = { profile_id: profileId, level: 'ad', from, until, ...moment } as const;
      const [sum] = await asked.clickhouse.query('attributed_sum', parameters, { signal: asked.signal });
      const figures = await readFigures(period, asked);
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
        read: () => asked.clickhouse.parquet('attributed_list', parameters, { signal: asked.signal }),
      };
    },
  };
}

async function readFigures(period: Period, { clickhouse, signal }: Asked): Promise<DayFigures> {
  const { profileId, from, until, timeZone, moment } = period;
  const parameters = { profile_id: profileId, from, until, time_zone: timeZone, ...moment };
  const rows = await clickhouse.query('report_read_overview', parameters, { signal });
  const sum = (figure: 'conversions' | 'payments' | 'value') =>
    rows.filter(({ is_of_day }) => is_of_day === 1).reduce((total, row) => total + BigInt(row[figure]), 0n);
  return { conversions: Number(sum('conversions')), payments: Number(sum('payments')), value: String(sum('value')) };
}
