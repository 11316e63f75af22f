import { rateParameters } from './rate-parameters.ts';
import type { ReportServices } from './services.ts';

export interface ReportedSpend {
  readonly platform: string;
  readonly day: string;
  readonly currency: string;
  readonly spend: string;
  /** The number of rows that the sum covers. */
  readonly rows: string;
}

/** Spend by day as reports count it, before currency conversion. */
export const listReportedSpend = (
  { clickhouse }: ReportServices,
  profileId: string,
  { since, until }: { readonly since: string; readonly until: string },
  signal: AbortSignal,
): Promise<ReportedSpend[]> =>
  clickhouse.query(
    'delivery_list_told',
    {
      profile_id: profileId,
      first_day: since,
      last_day: until,
      level: 'campaign',
      currency: '',
      moment: 'now',
      ...rateParameters([]),
    },
    { signal },
  );
