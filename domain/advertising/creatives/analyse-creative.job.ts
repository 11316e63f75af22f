import type { LanguageModel } from '@tributary/ai-model';
import { CreativeFindings } from '@tributary/contract';
import { findAds } from '@tributary/domain/advertising/campaigns';
import type { Outbound } from '@tributary/outbound';
import type { Postgres } from '@tributary/postgres';
import type { AnalysisFault } from '@tributary/vocabulary';
import { type Creative, instructions, material, readCreative, readJson } from './creative.ts';
import { fetchPicture } from './picture.ts';
import { endAnalysis, findAnalysis } from './store.ts';

export interface AnalysisJobServices {
  readonly app: Postgres;
  readonly languageModel: LanguageModel | undefined;
  /** Fetches thumbnails, from public addresses only. */
  readonly outbound: Outbound;
  readonly now: () => Date;
}

/**
 * Safe to run twice: skips an analysis that is finished or was replaced by a newer request. No transaction is open
 * during the model call.
 */
export async function analyseCreative(
  { app, languageModel, outbound, now }: AnalysisJobServices,
  job: { readonly profileId: string; readonly adId: string; readonly analysisId: string },
  signal: AbortSignal,
): Promise<void> {
  const { profileId, adId, analysisId } = job;
  const ledger = app.forProfile(profileId);
  const found = await ledger.transaction(
    async (tx) => ({
      analysis: await findAnalysis(tx, profileId, adId),
      ad: (await findAds(tx, profileId, [adId])).get(adId),
    }),
    { readOnly: true },
  );
  if (found.analysis?.id !== analysisId || found.analysis.status !== 'waiting') return;
  const creative = readCreative(found.ad?.creative);
  const result = creative ? await analyse(creative, languageModel, outbound, signal) : 'creative_unknown';
  await ledger.transaction((tx) =>
    endAnalysis(
      tx,
      job,
      typeof result === 'string' ? { status: 'failed', reason: result } : { status: 'done', ...result },
      now(),
    ),
  );
}

/** Sends the picture first; if the model cannot process it, retries with the text alone. */
async function analyse(
  creative: Creative,
  model: LanguageModel | undefined,
  outbound: Outbound,
  signal: AbortSignal,
): Promise<{ model: string; found: CreativeFindings } | AnalysisFault> {
  if (!model) return 'model_unavailable';
  const picture = await fetchPicture(creative.thumbnailUrl, outbound, signal);
  const hasText = creative.title !== '' || creative.body !== '';
  let failure: AnalysisFault = 'model_unavailable';
  for (const attachedPicture of picture && hasText ? [picture, undefined] : [picture]) {
    const text = await model
      .write({ instructions, material: material(creative), picture: attachedPicture, maxTokens: 800, signal })
      .catch(() => undefined);
    signal.throwIfAborted();
    if (text === undefined) continue;
    const found = CreativeFindings.safeParse(readJson(text));
    if (found.success) return { model: model.name, found: found.data };
    failure = 'answer_unusable';
  }
  return failure;
}
