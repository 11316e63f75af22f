import { ClickHouseFailure } from '@tributary/clickhouse';
import type { AttributionModel, EntityLevel } from '@tributary/vocabulary';
import type { ReportServices } from './services.ts';

export interface ComparedReport {
  readonly profileId: string;
  readonly from: Date;
  readonly until: Date;
  readonly level: EntityLevel;
  readonly model: AttributionModel;
}

/** A report of a level and model over some time: what its rows and what is attributed to nobody add up to, and what there was to give, in minor units. */
export async function compareReport(
  { clickhouse }: ReportServices,
  asked: ComparedReport,
  signal: AbortSignal,
): Promise<{ readonly inReport: bigint; readonly inColumns: bigint; readonly conversions: number }> {
  const { profileId, from, until, level, model } = asked;
  const [row] = await clickhouse
    .query(
      'report_compare',
      { profile_id: profileId, from, until, level, model, owners: 'entities', moment: 'now' },
      { signal },
    )
    .catch((error: unknown) => {
      // A model that is not worked out for every conversion yet has no report either.
      if (error instanceof ClickHouseFailure && error.type === 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO') return [];
      throw error;
    });
  return {
    inReport: BigInt(row?.credited ?? 0) + BigInt(row?.uncredited ?? 0),
    inColumns: BigInt(row?.value ?? 0),
    conversions: Number(row?.conversions ?? 0),
  };
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
