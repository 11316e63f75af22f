import type { Tx } from '@tributary/postgres';
import type { SaidAudience, SaidCreative, SaidDelivery, SaidEntity as ToldEntity } from '@tributary/providers';
import { entityIdOf, isCurrency, parseAmount } from '@tributary/rules';
import { type EntityLevel, isLearningStage } from '@tributary/vocabulary';
import type { Figures, ReadSpend, Reporter, SaidEntity } from './read-spend.ts';
import { recordEntities, recordSpend } from './record-spend.ts';
import { lockDelivery, noteAdvertiser, saveCreatives } from './store.ts';

/** What became of what a platform said: what could not be kept, by its id, and why. */
export interface Kept {
  readonly rejected: readonly { readonly externalId: string; readonly reason: string }[];
}

type Told = ToldEntity | SaidDelivery;

/**
 * Records what a connected platform says of its ads, in the caller's transaction. A day that is told again replaces what was told of it
 * before; what was told stays in the history.
 */
export async function recordAds(
  tx: Tx,
  profileId: string,
  platform: string,
  told: readonly Told[],
  now: Date,
  reporter?: Reporter,
): Promise<Kept> {
  const family = (one: Told, traits: Partial<SaidEntity>) => familyOf(profileId, platform, one, traits, reporter);
  const rejected: { externalId: string; reason: string }[] = [];
  const today = now.toISOString().slice(0, 10);
  const entities = told.filter((one) => one.kind === 'entity');
  if (entities.length > 0) {
    await lockDelivery(tx, profileId);
    const rows = entities.map((one) => ({ ...family(one, traitsOf(one)), day: today }));
    if (await recordEntities(tx, profileId, rows)) await noteAdvertiser(tx, profileId);
    const creatives = entities.flatMap(({ level, externalId, format, creative, audience }) =>
      creative || audience
        ? [
            {
              id: entityIdOf(profileId, platform, level, externalId),
              creative: { ...(creative && creativeOf(creative, format)), ...(audience && audienceOf(audience)) },
            },
          ]
        : [],
    );
    await saveCreatives(tx, profileId, creatives);
  }
  const days: ReadSpend[] = [];
  for (const one of told) {
    if (one.kind !== 'delivery') continue;
    const figures = figuresOf(one);
    if (typeof figures === 'string') rejected.push({ externalId: one.externalId, reason: figures });
    else days.push({ day: one.day, ...family(one, { currency: one.currency }), figures });
  }
  await recordSpend(tx, profileId, days, now);
  return { rejected };
}

const traitsOf = ({ name, status, objective, format, currency, dailyBudget, learningStage }: ToldEntity) => ({
  name: name || undefined,
  status,
  objective,
  format,
  currency,
  dailyBudget: dailyBudget === undefined ? undefined : (decimalOf(dailyBudget) ?? undefined),
  learningStage: learningStage !== undefined && isLearningStage(learningStage) ? learningStage : undefined,
});

/** The entity and the parents that it names. */
function familyOf(
  profileId: string,
  platform: string,
  { level, externalId, campaignId, adSetId }: Pick<Told, 'level' | 'externalId' | 'campaignId' | 'adSetId'>,
  traits: Partial<SaidEntity>,
  reporter: Reporter | undefined,
): Pick<ReadSpend, 'entity' | 'parents'> {
  const entityOf = (at: EntityLevel, id: string, above: SaidEntity | undefined): SaidEntity => ({
    id: entityIdOf(profileId, platform, at, id),
    platform,
    level: at,
    externalId: id,
    parentId: above?.id,
    parentLevel: above?.level,
    reporter,
  });
  const parents: SaidEntity[] = [];
  if (campaignId && level !== 'campaign') parents.push(entityOf('campaign', campaignId, undefined));
  if (adSetId && level === 'ad') parents.push(entityOf('ad_set', adSetId, parents.at(-1)));
  return { entity: { ...entityOf(level, externalId, parents.at(-1)), ...traits }, parents };
}

/** What was said of it, under the names that reports of creatives read. */
const said = (traits: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(traits).filter(([, value]) => value !== undefined));

/** Ads have it from what they stand under. What is said no more is gone. */
const audienceOf = ({ warmth, geo, placement }: SaidAudience) => ({
  audience_warmth: warmth ?? null,
  geo: geo ?? null,
  placement: placement ?? null,
});

const creativeOf = (of: SaidCreative, format: string | undefined) =>
  said({
    creative_id: of.externalId,
    title: of.title,
    body: of.body,
    thumbnail_url: of.thumbnailUrl,
    video_id: of.videoId,
    url_tags: of.urlTags,
    cta_type: of.callToAction,
    format,
  });

/** A day's figures, or why they cannot be kept. */
function figuresOf(said: SaidDelivery): Figures | string {
  if (!isCurrency(said.currency)) return `${said.currency} is no currency of ISO 4217`;
  const spend = decimalOf(said.spend);
  if (spend === null) return 'what it cost is no decimal';
  return {
    currency: said.currency,
    spend,
    impressions: said.impressions,
    clicks: said.clicks,
    reach: said.reach ?? null,
    conversions: decimalOf(said.conversions),
    conversion_value: decimalOf(said.conversionValue),
    video_views_3s: said.videoViews3s ?? null,
    video_completions: said.videoCompletions ?? null,
    messaging_conversations_started: said.messagingConversationsStarted ?? null,
    messaging_first_replies: said.messagingFirstReplies ?? null,
  };
}

/** Null: nothing was said, or nothing that can be kept. */
function decimalOf(text: string | undefined): string | null {
  const parsed = text === undefined ? undefined : parseAmount(text);
  return parsed?.ok && !parsed.amount.startsWith('-') ? parsed.amount : null;
}
