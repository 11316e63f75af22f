import type { MergeRow } from '@tributary/domain/commerce/customers';
import type { IdentifierKind } from '@tributary/vocabulary';

export const toMergeResponse = (merge: MergeRow) => ({
  id: merge.id,
  merged_at: merge.mergedAt.toISOString(),
  merged_customer_id: merge.loserId,
  survivor_id: merge.survivorId,
  joined: [merge.one, merge.other] as [string, string],
  source: merge.source,
  said_kinds: merge.saidKinds as IdentifierKind[],
  moved: {
    identifiers: merge.movedIdentifiers,
    browsers: merge.movedBrowsers,
    outcomes: merge.movedOutcomes,
  },
  undone_at: merge.undoneAt?.toISOString() ?? null,
  reason: merge.reason,
});
