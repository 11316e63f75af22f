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

/** What brought an outcome, where its own message says so: a chat that an ad opened, a form inside the ad, a call. */
export type Origin = {
  readonly channel: MarketingChannel;
  readonly source: string;
  readonly medium: string;
  readonly platform: string;
  /** Our id of the ad; the nil id where none is named. */
  readonly ad_id: string;
  readonly click_id_kind: ClickIdKind | null;
  /** Which click it was, as visits mark it; null where it says of none. Missing in those of before it was kept. */
  readonly click_mark?: string | null;
};

/** What the message says of it, as POST /events takes it. */
export interface OriginSaid {
  readonly ad_id?: unknown;
  readonly platform?: unknown;
  readonly click_ids?: unknown;
}

/** What is known besides. */
export interface OriginKnown {
  /** Whose ad it is, by the platform's own id of it. */
  platformOf(adId: string): string | undefined;
  /** What stands for a click in place of its id. */
  markOf(click: string): string;
}

/** Whose ads talk to people off the site: a named ad that nothing else tells the platform of is one of theirs. */
const usualPlatform = 'social_ads';

/** Null where the message names neither an ad nor a click. A named ad was paid for, and so was a click whose id only ads carry. */
export function originOf(profileId: string, said: OriginSaid, { platformOf, markOf }: OriginKnown): Origin | null {
  const { adId, click, saidPlatform } = read(said);
  if (!click && adId === null) return null;
  const platform = saidPlatform ?? click?.site.platform ?? (adId && platformOf(adId)) ?? usualPlatform;
  // Somebody may have told of spend on a platform that we know no site of.
  const site = click?.site.platform === platform ? click.site : sites.find((one) => one.platform === platform);
  const channel = site ? siteKinds[site.kind][adId !== null || click?.isAd ? 'paid' : 'organic'] : 'unknown';
  return {
    channel,
    source: site?.name ?? platform,
    medium: marketingChannels[channel].medium,
    platform,
    ad_id: adId === null ? nilUuid : entityIdOf(profileId, platform, 'ad', adId),
    click_id_kind: clickIdKindNames.find((known) => known === click?.kind) ?? null,
    click_mark: click ? markOf(clickName(click.kind, click.id)) : null,
  };
}

/** The ad whose platform nothing in the message tells, if there is one. */
export function adWithoutPlatform(said: OriginSaid): string | null {
  const { adId, click, saidPlatform } = read(said);
  return (saidPlatform ?? click) ? null : adId;
}

interface SaidClick {
  readonly kind: string;
  readonly id: string;
  readonly site: Site;
  readonly isAd: boolean;
}

function read({ ad_id, platform, click_ids }: OriginSaid) {
  const said = new Map(
    Object.entries(click_ids ?? {}).flatMap(([kind, id]) => {
      const parameter = parameterOf(kind);
      return parameter && typeof id === 'string' && id !== '' ? [[parameter, { kind, id }] as const] : [];
    }),
  );
  const strongest = clickIds.flatMap(({ parameter, site: name, isAd }): SaidClick[] => {
    const one = said.get(parameter);
    const site = siteByName.get(name ?? '');
    return one && site?.platform ? [{ ...one, site, isAd: isAd === true }] : [];
  })[0];
  return { adId: wordOf(ad_id), saidPlatform: wordOf(platform), click: strongest };
}

const wordOf = (text: unknown): string | null => (typeof text === 'string' && text.trim() !== '' ? text.trim() : null);

const isClickIdKind = (name: string): name is ClickIdKind => Object.hasOwn(clickIdKinds, name);
const parameterOf = (kind: string): string | null => (isClickIdKind(kind) ? clickIdKinds[kind].parameter : kind);

/** The same for the same click, also where one tells of it by the link and another by the cookie: fb.1.<time>.<the link's>. */
export function clickName(kind: string, id: string): string {
  const fromCookie = kind === 'fbc' ? id.split('.').slice(3).join('.') : '';
  return `${parameterOf(kind)}:${fromCookie || id}`;
}
