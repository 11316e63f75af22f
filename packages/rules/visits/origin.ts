import {
  type ClickIdKind,
  clickIdKindNames,
  clickIdKinds,
  type MarketingChannel,
  marketingChannels,
  nilUuid,
} from '@tributary/vocabulary';
import { entityIdOf } from '../entity-id.ts';
import { clickIds } from './campaign-tags.ts';
import { siteByName, siteKinds } from './channel-table.ts';

/** What brought an outcome, where its own message says so: a chat that an ad opened, a form inside the ad, a call. */
export type Origin = {
  readonly channel: MarketingChannel;
  readonly source: string;
  readonly medium: string;
  readonly platform: string;
  /** Our id of the ad; the nil id where none is named. */
  readonly ad_id: string;
  readonly click_id_kind: ClickIdKind | null;
};

/** What the message says of it, as POST /events takes it. */
export interface OriginSaid {
  readonly ad_id?: unknown;
  readonly click_ids?: unknown;
}

const isClickIdKind = (name: string): name is ClickIdKind => Object.hasOwn(clickIdKinds, name);

/** Ids of ads come without their platform's name. Where no click id tells it, this is whose ads talk to people off the site. */
const usualSite = 'facebook';

/**
 * Null where the message names neither an ad nor a click. A named ad was paid for, and so was a click whose id only ads carry.
 */
export function originOf(profileId: string, { ad_id, click_ids }: OriginSaid): Origin | null {
  const adId = typeof ad_id === 'string' && ad_id.trim() !== '' ? ad_id.trim() : null;
  const said = new Map(
    Object.entries(click_ids ?? {}).flatMap(([kind, value]) => {
      const parameter = isClickIdKind(kind) ? clickIdKinds[kind].parameter : kind;
      return parameter && typeof value === 'string' && value !== '' ? [[parameter, kind] as const] : [];
    }),
  );
  const click = clickIds.find(({ parameter, site }) => site !== undefined && said.has(parameter));
  if (!click && adId === null) return null;
  const site = siteByName.get(click?.site ?? usualSite);
  if (!site?.platform) return null;
  const channel = siteKinds[site.kind][adId !== null || click?.isAd ? 'paid' : 'organic'];
  const kind = click && said.get(click.parameter);
  return {
    channel,
    source: site.name,
    medium: marketingChannels[channel].medium,
    platform: site.platform,
    ad_id: adId === null ? nilUuid : entityIdOf(profileId, site.platform, 'ad', adId),
    click_id_kind: clickIdKindNames.find((known) => known === kind) ?? null,
  };
}
