import type { ClickHouse } from '@tributary/clickhouse';
import type { ProfileContext } from '@tributary/operations';

/** External services that the handlers of this module need. */
export interface ReportServices {
  readonly clickhouse: ClickHouse;
}

/** Context of a report reader: an API request or a scheduled report mail. */
export interface ReportContext extends Pick<ProfileContext, 'ledger' | 'signal' | 'now'>, ReportServices {
  readonly caller: Pick<ProfileContext['caller'], 'profileId'>;
}

/** The parameters of the query, except the conversion type, which may hold arbitrary text of the customer. */
export type UnexplainedChange = Readonly<
  Record<
    'profile_id' | 'field' | 'entity_level' | 'entity_id' | 'model' | 'date_from' | 'date_to' | 'from' | 'to',
    string
  >
>;

export interface ChangeServices extends ReportServices {
  /** Called when the causes of a change do not add up to it, which is a bug. */
  readonly tellUnexplained: (change: UnexplainedChange) => void;
}
