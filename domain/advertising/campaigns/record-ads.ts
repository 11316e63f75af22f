import type { Tx } from '@tributary/postgres';
import type { AdAudience, AdCreative, DeliveryRecord, EntityRecord as ProviderEntity } from '@tributary/providers';
import { entityIdOf, isCurrency, parseAmount } from '@tributary/rules';
import { type EntityLevel, isLearningStage } from '@tributary/vocabulary';
import type { Figures, ReportedEntity, Reporter, SpendRow } from './read-spend.ts';
import { recordEntities, recordSpend } from './record-spend.ts';
import { lockDelivery, registerAdvertiser, saveCreatives } from './store.ts';

/** The records of a platform that could not be stored, by id with the reason. */
export interface RecordAdsResult {
  readonly rejected: readonly { readonly externalId: string; readonly reason: string }[];
}

type ProviderRecord = ProviderEntity | DeliveryRecord;

/**
 * Records ads and delivery that a connected platform reports, in the caller's transaction. A day reported again
 * replaces the previous report, which stays in the history.
 */
export async function recordAds(
  tx: Tx,
  profileId: string,
  platform: string,
  records: readonly ProviderRecord[],
  now: Date,
  reporter?: Reporter,
): Promise<RecordAdsResult> {
  const toRow = (one: ProviderRecord, traits: Partial<ReportedEntity>) =>
    toEntities(profileId, platform, one, traits, reporter);
  const rejected: { externalId: string; reason: string }[] = [];
  const today = now.toISOString().slice(0, 10);
  const entities = records.filter((one) => one.kind === 'entity');
  if (entities.length > 0) {
    await lockDelivery(tx, profileId);
    const rows = entities.map((one) => ({ ...toRow(one, toTraits(one)), day: today }));
    if (await recordEntities(tx, profileId, rows)) await registerAdvertiser(tx, profileId);
    const creatives = entities.flatMap(({ level, externalId, format, creative, audience }) =>
      creative || audience
        ? [
            {
              id: entityIdOf(profileId, platform, level, externalId),
              creative: {
                ...(creative && toCreativeFields(creative, format)),
                ...(audience && toAudienceFields(audience)),
              },
            },
          ]
        : [],
    );
    await saveCreatives(tx, profileId, creatives);
  }
  const days: SpendRow[] = [];
  for (const one of records) {
    if (one.kind !== 'delivery') continue;
    const figures = toFigures(one);
    if (typeof figures === 'string') rejected.push({ externalId: one.externalId, reason: figures });
    else days.push({ day: one.day, ...toRow(one, { currency: one.currency }), figures });
  }
  await recordSpend(tx, profileId, days, now);
  return { rejected };
}

const toTraits = ({ name, status, objective, format, currency, dailyBudget, learningStage }: ProviderEntity) => ({
  name: name || undefined,
  status,
  objective,
  format,
  currency,
  dailyBudget: dailyBudget === undefined ? undefined : (toDecimal(dailyBudget) ?? undefined),
  learningStage: learningStage !== undefined && isLearningStage(learningStage) ? learningStage : undefined,
});

/** Builds the entity and its parents from the reported ids. */
function toEntities(
  profileId: string,
  platform: string,
  { level, externalId, campaignId, adSetId }: Pick<ProviderRecord, 'level' | 'externalId' | 'campaignId' | 'adSetId'>,
  traits: Partial<ReportedEntity>,
  reporter: Reporter | undefined,
): Pick<SpendRow, 'entity' | 'parents'> {
  const toEntity = (at: EntityLevel, id: string, above: ReportedEntity | undefined): ReportedEntity => ({
    id: entityIdOf(profileId, platform, at, id),
    platform,
    level: at,
    externalId: id,
    parentId: above?.id,
    parentLevel: above?.level,
    reporter,
  });
  const parents: ReportedEntity[] = [];
  if (campaignId && level !== 'campaign') parents.push(toEntity('campaign', campaignId, undefined));
  if (adSetId && level === 'ad') parents.push(toEntity('ad_set', adSetId, parents.at(-1)));
  return { entity: { ...toEntity(level, externalId, parents.at(-1)), ...traits }, parents };
}

/** Removes undefined fields. */
const omitUndefined = (traits: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(traits).filter(([, value]) => value !== undefined));

/** Ads inherit these fields. A field that is no longer reported is cleared. */
const toAudienceFields = ({ warmth, geo, placement }: AdAudience) => ({
  audience_warmth: warmth ?? null,
  geo: geo ?? null,
  placement: placement ?? null,
});

const toCreativeFields = (creative: AdCreative, format: string | undefined) =>
  omitUndefined({
    creative_id: creative.externalId,
    title: creative.title,
    body: creative.body,
    thumbnail_url: creative.thumbnailUrl,
    video_id: creative.videoId,
    url_tags: creative.urlTags,
    cta_type: creative.callToAction,
    format,
  });

/** Converts a day's figures, or returns the reason why they cannot be stored. */
function toFigures(delivery: DeliveryRecord): Figures | string {
  if (!isCurrency(delivery.currency)) return `${delivery.currency} is no currency of ISO 4217`;
  const spend = toDecimal(delivery.spend);
  if (spend === null) return 'what it cost is no decimal';
  return {
    currency: delivery.currency,
    spend,
    impressions: delivery.impressions,
    clicks: delivery.clicks,
    reach: delivery.reach ?? null,
    conversions: toDecimal(delivery.conversions),
    conversion_value: toDecimal(delivery.conversionValue),
    video_views_3s: delivery.videoViews3s ?? null,
    video_completions: delivery.videoCompletions ?? null,
    messaging_conversations_started: delivery.messagingConversationsStarted ?? null,
    messaging_first_replies: delivery.messagingFirstReplies ?? null,
  };
}

/** Null if the value is missing, invalid or negative. */
function toDecimal(text: string | undefined): string | null {
  const parsed = text === undefined ? undefined : parseAmount(text);
  return parsed?.ok && !parsed.amount.startsWith('-') ? parsed.amount : null;
}
