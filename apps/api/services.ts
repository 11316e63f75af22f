import type { AdServices } from '@tributary/domain/advertising/ad-operations/module.ts';
import type { ConnectionServices } from '@tributary/domain/advertising/connections/module.ts';
import type { CreativeServices } from '@tributary/domain/advertising/creatives/module.ts';
import type { HandoffServices } from '@tributary/domain/advertising/handoffs/module.ts';
import type { CustomerListServices } from '@tributary/domain/commerce/customers/module.ts';
import type { LinkTokenServices } from '@tributary/domain/commerce/link-tokens/module.ts';
import type { EventServices } from '@tributary/domain/commerce/outcomes/module.ts';
import type { PaymentServices } from '@tributary/domain/commerce/payments/module.ts';
import type { SaleServices } from '@tributary/domain/commerce/sales/module.ts';
import type { JourneyServices } from '@tributary/domain/measurement/journeys/module.ts';
import type { ModelServices } from '@tributary/domain/measurement/models/module.ts';
import type { ChangeServices } from '@tributary/domain/measurement/reports/module.ts';
import type { AlertServices } from '@tributary/domain/notifications/alerts/module.ts';
import type { ReportMailServices } from '@tributary/domain/notifications/report-mails/module.ts';
import type { WebhookServices } from '@tributary/domain/notifications/webhooks/module.ts';
import type { ErasureServices } from '@tributary/domain/privacy/erasures/module.ts';
import type { Accounts, MemberServices } from '@tributary/domain/tenancy/accounts/module.ts';
import type { AddOwner, InviteOwner, ReadinessStep, StepUp } from '@tributary/domain/tenancy/tenants/module.ts';
import type { PartnerServices } from '@tributary/domain/traffic/partners/module.ts';
import type { TrackingServices } from '@tributary/domain/traffic/tracking/module.ts';
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
