import type { ClickHouse } from '@tributary/clickhouse';

/** What the handlers of this room need from the outside. */
export interface ReportServices {
  readonly clickhouse: ClickHouse;
}
