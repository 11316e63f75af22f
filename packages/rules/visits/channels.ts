import { type ClickIdKind, clickIdKindNames, type MarketingChannel, marketingChannels } from '@tributary/vocabulary';
import {
  type ClickId,
  clickIds,
  furtherCampaignParameters,
  type IdParameter,
  idParameters,
  type Medium,
  media,
  utmParameters,
} from './campaign-tags.ts';
import { siteByName, sites } from './channel-table.ts';
import { isRedirectHost, isUnder, plainHost, siteOfHost } from './hosts.ts';
import { readParameters } from './parameters.ts';
import { type Site, siteKinds } from './sites/site.ts';

/**
 * Classifies a visit by its two URLs alone. A masked URL gives the same result as the original: masking keeps
 * parameter names, and no rule reads the value of a click id.
 */

export interface VisitAddresses {
  readonly url: string;
  readonly referrer?: string | null | undefined;
  /** The profile's own hosts, including subdomains; the visited host is always one of them. */
  readonly ownHosts?: readonly string[];
  /** Payment and login hosts added by the profile. */
  readonly extraRedirectHosts?: readonly string[];
}

export interface Utm {
  readonly source: string | null;
  readonly medium: string | null;
  readonly campaign: string | null;
  readonly term: string | null;
  readonly content: string | null;
  readonly id: string | null;
}

export interface Classification {
  readonly channel: MarketingChannel;
  /** A name of channel-table.ts, otherwise utm_source, otherwise the referrer's host. */
  readonly source: string;
  readonly medium: string;
  /** The ad platform that the ids belong to. */
  readonly platform: string | null;
  readonly clickIdKind: ClickIdKind | null;
  readonly campaignExternalId: string | null;
  readonly adSetExternalId: string | null;
  readonly adExternalId: string | null;
  readonly utm: Utm;
  readonly referrerHost: string | null;
  readonly isDirect: boolean;
  /** Returning from a payment or login page. */
  readonly isRedirectReturn: boolean;
  /** The referrer is the site itself. */
  readonly isFromOwnSite: boolean;
  /** At least one campaign parameter has a value. */
  readonly hasCampaign: boolean;
  /** A click id is present, of any kind. */
  readonly hasClickId: boolean;
}

export function classifyVisit(addresses: VisitAddresses): Classification {
  const page = URL.parse(addresses.url);
  const parameters = page ? readParameters(page) : new Map<string, string>();
  const referrer = readReferrer(addresses, page);
  const utm = readUtm(parameters);
  const ids = readIds(parameters);
  const clickId = parameters.size === 0 ? undefined : clickIds.find(({ parameter }) => parameters.has(parameter));
  const hasCampaign = parameters.size > 0 && campaignParameters.some((name) => parameters.has(name));
  const sourceSite = utm.source === null ? undefined : siteOfWord(utm.source);
  const evidence: Evidence = {
    utmSource: utm.source,
    medium: utm.medium === null ? undefined : mediumOf.get(normaliseWord(utm.medium)),
    sourceSite: sourceSite ?? networkSite(parameters),
    clickSite: clickId?.site === undefined ? undefined : siteByName.get(clickId.site),
    clickId,
    isTaggedAd: ids.isTaggedAd || parameters.has('gad_source'),
    referrer: referrer.isOwn ? undefined : referrer,
    isTagged: hasCampaign,
  };
  const channel = channelOf(evidence);
  return {
    channel,
    source: sourceOf(evidence, channel),
    medium: marketingChannels[channel].medium,
    platform: evidence.clickSite?.platform ?? evidence.sourceSite?.platform ?? null,
    clickIdKind: clickIdKindNames.find((kind) => parameters.has(kind)) ?? null,
    campaignExternalId: ids.campaign,
    adSetExternalId: ids.ad_set,
    adExternalId: ids.ad,
    utm,
    referrerHost: referrer.host,
    isDirect: channel === 'direct',
    isRedirectReturn: referrer.isRedirect,
    isFromOwnSite: referrer.isOwn,
    hasCampaign,
    hasClickId: clickId !== undefined,
  };
}

interface Evidence {
  readonly utmSource: string | null;
  readonly medium: Medium | undefined;
  readonly sourceSite: Site | undefined;
  readonly clickSite: Site | undefined;
  readonly clickId: ClickId | undefined;
  /** Tags that only ads have. */
  readonly isTaggedAd: boolean;
  readonly isTagged: boolean;
  /** Only a referrer from another site. */
  readonly referrer: Referrer | undefined;
}

/**
 * Order of evidence: an ad's click id is the strongest, because the platform wrote it, while people write tags. Then
 * the tags, then click ids that organic links may also have, then the referrer.
 */
function channelOf(evidence: Evidence): MarketingChannel {
  const { medium, sourceSite, clickSite, clickId, isTaggedAd, isTagged, utmSource, referrer } = evidence;
  const site = sourceSite ?? clickSite ?? (utmSource === null ? referrer?.site : undefined);
  const mediumChannel = medium && channelOfMedium(medium, site);
  if (clickId?.isAd && clickSite) {
    if (mediumChannel && marketingChannels[mediumChannel].canBeAd) return mediumChannel;
    const isSamePlatform = sourceSite !== undefined && sourceSite.platform === clickSite.platform;
    return siteKinds[(isSamePlatform ? sourceSite : clickSite).kind].paid;
  }
  if (mediumChannel && mediumChannel !== 'unknown') return mediumChannel;
  if (site && (isTagged || clickSite))
    return siteKinds[site.kind][isTaggedAd || medium?.means === 'paid' ? 'paid' : 'organic'];
  if (utmSource !== null || medium) return 'unknown';
  if (referrer?.host) return referrer.site ? siteKinds[referrer.site.kind].organic : 'referral';
  return isTagged || clickId ? 'unknown' : 'direct';
}

function channelOfMedium({ means, otherwise }: Medium, site: Site | undefined): MarketingChannel {
  if (means !== 'paid' && means !== 'organic') return means;
  return site ? siteKinds[site.kind][means] : (otherwise ?? 'unknown');
}

function sourceOf(evidence: Evidence, channel: MarketingChannel): string {
  const { utmSource, sourceSite, clickSite, clickId, referrer } = evidence;
  // The ad decided the channel; left-over tags of another source must not name the source.
  if (clickId?.isAd && clickSite && sourceSite && sourceSite.platform !== clickSite.platform) return clickSite.name;
  if (sourceSite) return sourceSite.name;
  if (utmSource !== null) return utmSource.toLowerCase();
  // Facebook's click id also comes from Instagram; the referrer is more specific about which of a platform's sites it
  // was.
  if (clickSite && referrer?.site?.platform !== clickSite.platform) return clickSite.name;
  return referrer?.site?.name ?? referrer?.host ?? clickSite?.name ?? (channel === 'direct' ? 'direct' : 'unknown');
}

interface Referrer {
  readonly host: string | null;
  readonly site: Site | undefined;
  readonly isOwn: boolean;
  readonly isRedirect: boolean;
}

const noReferrer: Referrer = { host: null, site: undefined, isOwn: false, isRedirect: false };

function readReferrer(
  { referrer, ownHosts = [], extraRedirectHosts = [] }: VisitAddresses,
  page: URL | null,
): Referrer {
  const address = referrer ? URL.parse(referrer) : null;
  const host = address ? plainHost(address.hostname) : '';
  if (!address || host === '') return noReferrer;
  const isOwn = isOwnHost(host, page ? plainHost(page.hostname) : '', ownHosts);
  const isRedirect = !isOwn && isRedirectHost(host, address.pathname, extraRedirectHosts);
  return { host, site: isOwn || isRedirect ? undefined : siteOfHost(host), isOwn, isRedirect };
}

export function isOwnHost(host: string, pageHost: string, ownHosts: readonly string[]): boolean {
  return isUnder(host, [pageHost]) || isUnder(host, ownHosts);
}

function readUtm(parameters: ReadonlyMap<string, string>): Utm {
  return {
    source: parameters.get('utm_source') ?? null,
    medium: parameters.get('utm_medium') ?? null,
    campaign: parameters.get('utm_campaign') ?? null,
    term: parameters.get('utm_term') ?? null,
    content: parameters.get('utm_content') ?? null,
    id: parameters.get('utm_id') ?? null,
  };
}

interface Ids {
  campaign: string | null;
  ad_set: string | null;
  ad: string | null;
  isTaggedAd: boolean;
}

function readIds(parameters: ReadonlyMap<string, string>): Ids {
  const ids: Ids = { campaign: null, ad_set: null, ad: null, isTaggedAd: false };
  if (parameters.size === 0) return ids;
  for (const tag of idParameters) {
    const value = parameters.get(tag.parameter);
    if (value === undefined || !isPlatformId(value, tag)) continue;
    ids[tag.level] ??= value;
    if (!tag.isFreeText) ids.isTaggedAd = true;
  }
  return ids;
}

/** Platform ids are numbers. In free text at least eight digits are required: `utm_content=2026` is a year. */
function isPlatformId(value: string, { isFreeText }: IdParameter): boolean {
  return isFreeText ? /^\d{8,20}$/.test(value) : /^\d{4,20}$/.test(value);
}

const normaliseWord = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, '');

const mediumOf = new Map(media.flatMap((medium) => medium.words.map((word) => [word, medium] as const)));
const siteByWord = new Map(
  sites.flatMap((site) => [site.name, ...(site.words ?? [])].map((word) => [normaliseWord(word), site] as const)),
);
/**
 * Parameters that indicate a campaign. `creative` and `placement` alone are too common to turn a page view into an
 * arrival.
 */
const campaignParameters = [
  ...utmParameters,
  ...idParameters.map(({ parameter }) => parameter).filter((name) => name !== 'creative'),
  ...furtherCampaignParameters.filter((name) => /^(utm|hsa|gad)_/.test(name)),
];

/** utm_source is a known word, or a host: assistants write `chatgpt.com`. */
function siteOfWord(source: string): Site | undefined {
  return (
    siteByWord.get(normaliseWord(source)) ?? (source.includes('.') ? siteOfHost(plainHost(source.trim())) : undefined)
  );
}

/** HubSpot's ad tags name the network in `hsa_net`. */
function networkSite(parameters: ReadonlyMap<string, string>): Site | undefined {
  const network = parameters.get('hsa_net');
  return network === undefined ? undefined : siteOfWord(network);
}
