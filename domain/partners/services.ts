import type { ClickHouse } from '@tributary/clickhouse';
import type { CustomerServices } from '@tributary/domain/customers';
import type { FindAdPlatforms } from '@tributary/domain/outcomes';

export interface PartnerServices extends CustomerServices {
  readonly findAdPlatforms: FindAdPlatforms;
  readonly clickhouse: ClickHouse;
}
