import type { ClickHouse } from '@tributary/clickhouse';

/** What the handlers of this room need from the outside. */
export interface ReportServices {
  readonly clickhouse: ClickHouse;
}

export interface ChangeServices extends ReportServices {
  /** Told of a change whose causes do not add up: a fault of ours. */
  readonly countUnexplained: () => void;
}
