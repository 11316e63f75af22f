import type { Check } from './check.ts';
import { attribution } from './sections/attribution.ts';
import { authentication } from './sections/authentication.ts';
import { campaigns, comparison, topPerformers } from './sections/campaigns.ts';
import { connections, handoffs } from './sections/connections.ts';
import { conventions } from './sections/conventions.ts';
import { customers } from './sections/customers.ts';
import { erasures } from './sections/erasures.ts';
import { errors } from './sections/errors.ts';
import { events } from './sections/events.ts';
import { idempotency } from './sections/idempotency.ts';
import { ingestion } from './sections/ingestion.ts';
import { journeys } from './sections/journeys.ts';
import { limitChecks } from './sections/limits.ts';
import { linkTokens } from './sections/link-tokens.ts';
import { pagination } from './sections/pagination.ts';
import { adOperations, partners } from './sections/partners.ts';
import { payments } from './sections/payments.ts';
import { tracking } from './sections/tracking.ts';
import { exportChecks, versioning } from './sections/versioning.ts';
import { webhooks } from './sections/webhooks.ts';

/** All checks in execution order. */
export const checks: readonly Check[] = [
  ...conventions,
  ...authentication,
  ...errors,
  ...limitChecks,
  ...idempotency,
  ...pagination,
  ...ingestion,
  ...customers,
  ...journeys,
  ...linkTokens,
  ...erasures,
  ...attribution,
  ...campaigns,
  ...comparison,
  ...topPerformers,
  ...payments,
  ...partners,
  ...adOperations,
  ...connections,
  ...handoffs,
  ...tracking,
  ...versioning,
  ...exportChecks,
  ...webhooks,
  ...events,
];
