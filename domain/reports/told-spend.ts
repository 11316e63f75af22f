import { rateParameters } from './rate-parameters.ts';
import type { ReportServices } from './services.ts';

export interface ToldSpend {
  readonly platform: string;
  readonly day: string;
  readonly currency: string;
  readonly spend: string;
  /** Of how many rows it is the sum. */
  readonly rows: string;
}

/** What reports count as spent by day, before anything is converted. */
export const listToldSpend = (
  { clickhouse }: ReportServices,
  profileId: string,
  { since, until }: { readonly since: string; readonly until: string },
  signal: AbortSignal,
): Promise<ToldSpend[]> =>
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
