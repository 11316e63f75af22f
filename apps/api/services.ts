import type { Accounts } from '@tributary/domain/accounts/room.ts';
import type { CustomerListServices } from '@tributary/domain/customers';
import type { ErasureServices } from '@tributary/domain/erasures';
import type { JourneyServices } from '@tributary/domain/journeys';
import type { LinkTokenServices } from '@tributary/domain/link-tokens';
import type { OutcomeServices } from '@tributary/domain/outcomes';
import type { TrackingServices } from '@tributary/domain/tracking';
import type { Jobs } from '@tributary/work';

/** What handlers may use besides the ledger. A handler names only what it needs. */
export interface Services
  extends CustomerListServices,
    TrackingServices,
    LinkTokenServices,
    OutcomeServices,
    JourneyServices,
    ErasureServices {
  readonly baseUrl: string;
  readonly apiUrl: string | undefined;
  readonly jobs: Jobs;
  readonly accounts: Accounts;
}
