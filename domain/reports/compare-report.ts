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
 * Reports of every level and model over some time: what rows and what is attributed to nobody add up to, and what there was to give, in minor
 * units. A model that is not worked out for every conversion yet has no report, and is left out.
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

/** On which days it does not add up, by the credit of each conversion. */
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
