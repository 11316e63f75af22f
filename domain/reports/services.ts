import type { ClickHouse } from '@tributary/clickhouse';
import type { ProfileContext } from '@tributary/operations';

/** What the handlers of this room need from the outside. */
export interface ReportServices {
  readonly clickhouse: ClickHouse;
}

/** Whoever reads a report: a caller, or the mail that brings it. */
export interface Reading extends Pick<ProfileContext, 'ledger' | 'signal' | 'now'>, ReportServices {
  readonly caller: Pick<ProfileContext['caller'], 'profileId'>;
}

/** What was asked for, but for a type of conversion, which is the profile's own word. */
export type UnexplainedChange = Readonly<
  Record<
    'profile_id' | 'field' | 'entity_level' | 'entity_id' | 'model' | 'date_from' | 'date_to' | 'from' | 'to',
    string
  >
>;

export interface ChangeServices extends ReportServices {
  /** Told of a change whose causes do not add up: a fault of ours. */
  readonly tellUnexplained: (change: UnexplainedChange) => void;
}
