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
import { siteByName, sites } from './channel-table.ts';
import { type Site, siteKinds } from './sites/site.ts';

/** The origin of an outcome as stated in its own message: a chat opened from an ad, a form inside the ad, a call. */
export type Origin = {
  readonly channel: MarketingChannel;
  readonly source: string;
  readonly medium: string;
  readonly platform: string;
  /** Our id of the ad; the nil id if none is named. */
  readonly ad_id: string;
  readonly click_id_kind: ClickIdKind | null;
  /**
   * The hash of the click, comparable with visits; null if there is no click. Missing in rows from before it was
   * stored.
   */
  readonly click_mark?: string | null;
};

/** The origin fields of a message, as accepted by POST /events. */
export interface OriginFields {
  readonly ad_id?: unknown;
  readonly platform?: unknown;
  readonly click_ids?: unknown;
}

/** Lookups outside the message. */
export interface OriginLookups {
  /** The platform of an ad, by the platform's own id of it. */
  platformOf(adId: string): string | undefined;
  /** Returns the hash stored in place of a click id. */
  markOf(click: string): string;
}

/** The default platform of a named ad: the one whose ads start conversations off the site. */
const usualPlatform = 'social_ads';

/**
 * Null if the message names neither an ad nor a click. A named ad was paid for, and so was a click whose id only ads
 * have.
 */
export function originOf(
  profileId: string,
  fields: OriginFields,
  { platformOf, markOf }: OriginLookups,
): Origin | null {
  const { adId, click, statedPlatform } = readOrigin(fields);
  if (!click && adId === null) return null;
  const platform = statedPlatform ?? click?.site.platform ?? (adId && platformOf(adId)) ?? usualPlatform;
  // Spend may be reported for a platform without a known site.
  const site = click?.site.platform === platform ? click.site : sites.find((one) => one.platform === platform);
  const channel = site ? siteKinds[site.kind][adId !== null || click?.isAd ? 'paid' : 'organic'] : 'unknown';
  return {
    channel,
    source: site?.name ?? platform,
    medium: marketingChannels[channel].medium,
    platform,
    ad_id: adId === null ? nilUuid : entityIdOf(profileId, platform, 'ad', adId),
    click_id_kind: clickIdKindNames.find((kind) => kind === click?.kind) ?? null,
    click_mark: click ? markOf(clickName(click.kind, click.id)) : null,
  };
}

/** The ad whose platform cannot be derived from the message, if there is one. */
export function adWithoutPlatform(fields: OriginFields): string | null {
  const { adId, click, statedPlatform } = readOrigin(fields);
  return (statedPlatform ?? click) ? null : adId;
}

interface ClickReference {
  readonly kind: string;
  readonly id: string;
  readonly site: Site;
  readonly isAd: boolean;
}

function readOrigin({ ad_id, platform, click_ids }: OriginFields) {
  const fields = new Map(
    Object.entries(click_ids ?? {}).flatMap(([kind, id]) => {
      const parameter = parameterOf(kind);
      return parameter && typeof id === 'string' && id !== '' ? [[parameter, { kind, id }] as const] : [];
    }),
  );
  const strongest = clickIds.flatMap(({ parameter, site: name, isAd }): ClickReference[] => {
    const one = fields.get(parameter);
    const site = siteByName.get(name ?? '');
    return one && site?.platform ? [{ ...one, site, isAd: isAd === true }] : [];
  })[0];
  return { adId: nonEmptyText(ad_id), statedPlatform: nonEmptyText(platform), click: strongest };
}

const nonEmptyText = (text: unknown): string | null =>
  typeof text === 'string' && text.trim() !== '' ? text.trim() : null;

const isClickIdKind = (name: string): name is ClickIdKind => Object.hasOwn(clickIdKinds, name);
const parameterOf = (kind: string): string | null => (isClickIdKind(kind) ? clickIdKinds[kind].parameter : kind);

/** The same for the same click, whether it is reported by the link or by the cookie: fb.1.<time>.<the link's id>. */
export function clickName(kind: string, id: string): string {
  const fromCookie = kind === 'fbc' ? id.split('.').slice(3).join('.') : '';
  return `${parameterOf(kind)}:${fromCookie || id}`;
}
