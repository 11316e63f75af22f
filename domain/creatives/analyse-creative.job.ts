import type { LanguageModel } from '@tributary/ai-model';
import { CreativeFindings } from '@tributary/contract';
import { findAds } from '@tributary/domain/campaigns';
import type { Outbound } from '@tributary/outbound';
import type { Postgres } from '@tributary/postgres';
import type { AnalysisFault } from '@tributary/vocabulary';
import { type Creative, instructions, material, readCreative, readJson } from './creative.ts';
import { fetchPicture } from './picture.ts';
import { endAnalysis, findAnalysis } from './store.ts';

export interface Looking {
  readonly app: Postgres;
  readonly languageModel: LanguageModel | undefined;
  /** Fetches thumbnails, from public addresses only. */
  readonly outbound: Outbound;
  readonly now: () => Date;
}

/** Safe to run twice: what was answered already, or asked anew, is left alone. No transaction is open while the model writes. */
export async function analyseCreative(
  { app, languageModel, outbound, now }: Looking,
  asked: { readonly profileId: string; readonly adId: string; readonly analysisId: string },
  signal: AbortSignal,
): Promise<void> {
  const { profileId, adId, analysisId } = asked;
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
  const looked = creative ? await look(creative, languageModel, outbound, signal) : 'creative_unknown';
  await ledger.transaction((tx) =>
    endAnalysis(
      tx,
      asked,
      typeof looked === 'string' ? { status: 'failed', reason: looked } : { status: 'done', ...looked },
      now(),
    ),
  );
}

/** With the picture first; a model that cannot see is asked once more about the text alone. */
async function look(
  creative: Creative,
  model: LanguageModel | undefined,
  outbound: Outbound,
  signal: AbortSignal,
): Promise<{ model: string; found: CreativeFindings } | AnalysisFault> {
  if (!model) return 'model_unavailable';
  const picture = await fetchPicture(creative.thumbnailUrl, outbound, signal);
  const isThereText = creative.title !== '' || creative.body !== '';
  let fault: AnalysisFault = 'model_unavailable';
  for (const shown of picture && isThereText ? [picture, undefined] : [picture]) {
    const text = await model
      .write({ instructions, material: material(creative), picture: shown, maxTokens: 800, signal })
      .catch(() => undefined);
    signal.throwIfAborted();
    if (text === undefined) continue;
    const found = CreativeFindings.safeParse(readJson(text));
    if (found.success) return { model: model.name, found: found.data };
    fault = 'answer_unusable';
  }
  return fault;
}
