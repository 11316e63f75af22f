import { sealedCredentials } from '@tributary/domain/connections/room.ts';
import { sealedReceipts } from '@tributary/domain/erasures/room.ts';
import { sealedCapabilities, sealedParked } from '@tributary/domain/handoffs/room.ts';
import { sealedBadVisits } from '@tributary/domain/ingestion/room.ts';
import { sealedSummaries } from '@tributary/domain/journeys/room.ts';
import { sealedIdentifySecrets } from '@tributary/domain/tracking/room.ts';
import { sealedWebhookSecrets } from '@tributary/domain/webhooks/room.ts';
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
