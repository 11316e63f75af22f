import { CreativeFindings, type Routes } from '@tributary/contract';
import {
  findAds,
  findEntitiesOfLevel,
  findEntityByExternalId,
  type StoredAd,
} from '@tributary/domain/advertising/campaigns';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { isUuid } from '@tributary/vocabulary';
import { type Analysis, findAnalysis } from './store.ts';

export const readCreativeAnalysis: Handles<Routes['readCreativeAnalysis']> = async ({ params }, { caller, ledger }) => {
  const { profileId } = caller;
  return ledger.transaction(
    async (tx) => {
      const ad = await findAd(tx, profileId, params.id);
      return answer(200, { data: toAnalysisResponse(ad, await findAnalysis(tx, profileId, ad.id)) });
    },
    { readOnly: true },
  );
};

/** Finds an ad by its internal id or its platform's id. */
export async function findAd(tx: Tx, profileId: string, text: string): Promise<StoredAd> {
  const internalId = text.toLowerCase();
  const isInternal =
    isUuid(internalId) && (await findEntitiesOfLevel(tx, profileId, 'ad', [internalId])).has(internalId);
  const id = isInternal ? internalId : await findEntityByExternalId(tx, profileId, 'ad', text);
  const ad = id && (await findAds(tx, profileId, [id])).get(id);
  return ad || refuse('not_found', 'There is no such ad.');
}

export const toAnalysisResponse = (ad: StoredAd, analysis: Analysis | undefined) => ({
  ad_id: ad.id,
  ad_external_id: ad.externalId,
  status: analysis?.status ?? ('none' as const),
  requested_at: analysis?.requestedAt.toISOString() ?? null,
  finished_at: analysis?.finishedAt?.toISOString() ?? null,
  reason: analysis?.reason ?? null,
  model: analysis?.model ?? null,
  findings: analysis?.found ? CreativeFindings.parse(analysis.found) : null,
});
