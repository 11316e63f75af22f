import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { v7 as uuid } from 'uuid';
import { getFingerprint, readCreative } from './creative.ts';
import { findAd, toAnalysisResponse } from './read-creative-analysis.ts';
import type { CreativeServices } from './services.ts';
import { beginAnalysis, findAnalysis } from './store.ts';

export const createCreativeAnalysis: Handles<Routes['createCreativeAnalysis'], CreativeServices> = async (
  { params },
  { caller, effect, now, languageModel, jobs },
) => {
  const { profileId } = caller;
  return effect(async (tx) => {
    const ad = await findAd(tx, profileId, params.id);
    if (!languageModel) refuse('service_unavailable', 'No model is set up here that could look at creatives.');
    const creative = readCreative(ad.creative);
    if (!creative)
      refuse('invalid_state', 'No sync has told of a text or picture of this ad yet.', {
        fields: { reason: 'creative_unknown' },
      });
    const fingerprint = getFingerprint(creative, languageModel.name);
    const existing = await findAnalysis(tx, profileId, ad.id);
    const isSame = existing?.status !== 'failed' && existing?.fingerprint.equals(fingerprint);
    if (isSame) return answer(202, { data: toAnalysisResponse(ad, existing) });
    const analysisId = uuid();
    const started = await beginAnalysis(tx, profileId, ad.id, { id: analysisId, fingerprint, requestedAt: now });
    await jobs.enqueue(tx, 'analyseCreative', { profileId, adId: ad.id, analysisId });
    return answer(202, { data: toAnalysisResponse(ad, started) });
  });
};
