import type { Check } from './check.ts';
import { authentication } from './sections/authentication.ts';
import { conventions } from './sections/conventions.ts';
import { customers } from './sections/customers.ts';
import { erasures } from './sections/erasures.ts';
import { errors } from './sections/errors.ts';
import { idempotency } from './sections/idempotency.ts';
import { ingestion } from './sections/ingestion.ts';
import { journeys } from './sections/journeys.ts';
import { limitChecks } from './sections/limits.ts';
import { linkTokens } from './sections/link-tokens.ts';
import { pagination } from './sections/pagination.ts';

/** All checks, in the order in which they run. */
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
];
