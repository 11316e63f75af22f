import { type AttributionModel, attributionModelNames, type EntityLevel, entityLevels } from '@tributary/vocabulary';
import type { ReportServices } from './services.ts';

export interface ComparedReport {
  readonly profileId: string;
  readonly from: Date;
  readonly until: Date;
  readonly level: EntityLevel;
  readonly model: AttributionModel;
}

export interface ReportTotal {
  readonly level: EntityLevel;
  readonly model: AttributionModel;
  readonly inReport: bigint;
  readonly inColumns: bigint;
}

/**
 * Compares reports of every level and model over a period, in minor units: the sum of credited and unattributed value against the total
 * value of the conversions. Skips a model that has not been computed for every conversion yet, because it has no report.
 */
export async function compareReports(
  { clickhouse }: ReportServices,
  { profileId, from, until }: Pick<ComparedReport, 'profileId' | 'from' | 'until'>,
  signal: AbortSignal,
): Promise<ReportTotal[]> {
  const rows = await clickhouse.query(
    'report_compare',
    { profile_id: profileId, level: 'campaign', from, until, moment: 'now' },
    { signal },
  );
  const totalOf = ({ credited, uncredited }: (typeof rows)[number]) => BigInt(credited) + BigInt(uncredited);
  const toGive = rows.find(({ model }) => model === '');
  const inColumns = toGive ? totalOf(toGive) : 0n;
  return attributionModelNames.flatMap((model) =>
    entityLevels.flatMap((level) => {
      const row = rows.find((one) => one.model === model && one.level === level);
      return row && !row.is_unworked ? [{ level, model, inReport: totalOf(row), inColumns }] : [];
    }),
  );
}

/** Lists the days on which the two sums differ, by the credit of each conversion. */
export async function compareReportDays(
  { clickhouse }: ReportServices,
  { profileId, from, until, level, model, timeZone }: ComparedReport & { readonly timeZone: string },
  signal: AbortSignal,
): Promise<{ readonly day: string; readonly inReport: bigint; readonly inColumns: bigint }[]> {
  const days = await clickhouse.query(
    'report_compare_days',
    { profile_id: profileId, from, until, level, model, owners: 'entities', time_zone: timeZone, moment: 'now' },
    { signal },
  );
  return days.map(({ day, credited, value }) => ({ day, inReport: BigInt(credited), inColumns: BigInt(value) }));
}
