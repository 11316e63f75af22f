import type { Accounts } from '@tributary/domain/access';
import type { FindCustomerTotals } from '@tributary/domain/customers';
import type { ErasureServices } from '@tributary/domain/erasures';
import type { JourneyServices } from '@tributary/domain/journeys';
import type { LinkTokenServices } from '@tributary/domain/link-tokens';
import type { TrackingServices } from '@tributary/domain/tracking';
import type { Jobs } from '@tributary/work';

/** What handlers may use besides the ledger. A handler names only what it needs. */
export interface Services extends TrackingServices, LinkTokenServices, JourneyServices, ErasureServices {
  readonly baseUrl: string;
  readonly apiUrl: string | undefined;
  readonly jobs: Jobs;
  readonly accounts: Accounts;
  readonly findCustomerTotals: FindCustomerTotals;
}
