import type { Accounts, MemberServices } from '@tributary/domain/accounts/room.ts';
import type { AdServices } from '@tributary/domain/ad-operations/room.ts';
import type { AlertServices } from '@tributary/domain/alerts/room.ts';
import type { ConnectionServices } from '@tributary/domain/connections/room.ts';
import type { CreativeServices } from '@tributary/domain/creatives/room.ts';
import type { CustomerListServices } from '@tributary/domain/customers/room.ts';
import type { ErasureServices } from '@tributary/domain/erasures/room.ts';
import type { HandoffServices } from '@tributary/domain/handoffs/room.ts';
import type { JourneyServices } from '@tributary/domain/journeys/room.ts';
import type { LinkTokenServices } from '@tributary/domain/link-tokens/room.ts';
import type { ModelServices } from '@tributary/domain/models/room.ts';
import type { EventServices } from '@tributary/domain/outcomes/room.ts';
import type { PartnerServices } from '@tributary/domain/partners/room.ts';
import type { PaymentServices } from '@tributary/domain/payments/room.ts';
import type { ReportMailServices } from '@tributary/domain/report-mails/room.ts';
import type { ChangeServices } from '@tributary/domain/reports/room.ts';
import type { SaleServices } from '@tributary/domain/sales/room.ts';
import type { AddOwner, InviteOwner, ReadinessStep, StepUp } from '@tributary/domain/tenants/room.ts';
import type { TrackingServices } from '@tributary/domain/tracking/room.ts';
import type { WebhookServices } from '@tributary/domain/webhooks/room.ts';
import type { Jobs } from '@tributary/work';

/** The services that handlers may use besides the ledger. A handler declares only those that it needs. */
export interface Services
  extends CustomerListServices,
    TrackingServices,
    LinkTokenServices,
    EventServices,
    PaymentServices,
    SaleServices,
    ChangeServices,
    ReportMailServices,
    MemberServices,
    StepUp,
    AlertServices,
    PartnerServices,
    JourneyServices,
    CreativeServices,
    ModelServices,
    AdServices,
    ErasureServices,
    WebhookServices,
    ConnectionServices,
    HandoffServices {
  readonly baseUrl: string;
  readonly apiUrl: string | undefined;
  readonly jobs: Jobs;
  readonly accounts: Accounts;
  readonly addOwner: AddOwner;
  readonly inviteOwner: InviteOwner;
  readonly readiness: readonly ReadinessStep[];
}
