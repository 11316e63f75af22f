import { sealedCredentials } from '@tributary/domain/advertising/connections/module.ts';
import { sealedCapabilities, sealedParked } from '@tributary/domain/advertising/handoffs/module.ts';
import { sealedSummaries } from '@tributary/domain/measurement/journeys/module.ts';
import { sealedWebhookSecrets } from '@tributary/domain/notifications/webhooks/module.ts';
import { sealedReceipts } from '@tributary/domain/privacy/erasures/module.ts';
import { sealedBadVisits } from '@tributary/domain/traffic/ingestion/module.ts';
import { sealedIdentifySecrets } from '@tributary/domain/traffic/tracking/module.ts';
import { sealedAnswers } from '@tributary/operations';
import type { SealedColumn } from '@tributary/vault';

/** Every column whose secrets are sealed under the envelope key. A test compares the list with the schema. */
export const sealedColumns: readonly SealedColumn[] = [
  sealedBadVisits,
  sealedReceipts,
  sealedSummaries,
  sealedAnswers,
  sealedIdentifySecrets,
  sealedWebhookSecrets,
  sealedCredentials,
  sealedCapabilities,
  sealedParked,
];
