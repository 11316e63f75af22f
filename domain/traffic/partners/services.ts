import type { ClickHouse } from '@tributary/clickhouse';
import type { CustomerServices } from '@tributary/domain/commerce/customers';
import type { FindAdPlatforms } from '@tributary/domain/commerce/outcomes';

export interface PartnerServices extends CustomerServices {
  readonly findAdPlatforms: FindAdPlatforms;
  readonly clickhouse: ClickHouse;
}
