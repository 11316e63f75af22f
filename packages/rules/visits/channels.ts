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
 * Where a visit came from, read from its two addresses alone. A masked address gives the same answer as the one it was made
 * from: the parameters' names stay, and no rule here reads a click id's value.
 */

export interface VisitAddresses {
  readonly url: string;
  readonly referrer?: string | null | undefined;
  /** The profile's own hosts; the visited host is always one of them. Each stands for its subdomains too. */
  readonly ownHosts?: readonly string[];
  /** The profile's additions to the payment and login pages. */
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
  /** A name of channel-table.ts, else what utm_source says, else the referrer's host. */
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
  /** Back from paying or logging in. */
  readonly isRedirectReturn: boolean;
  /** The referrer is the site itself. */
  readonly isFromOwnSite: boolean;
  /** There is a campaign parameter that says something. */
  readonly hasCampaign: boolean;
  /** There is a click id, of an ad or not, of the kinds that are kept or not. */
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
    medium: utm.medium === null ? undefined : mediumOf.get(squash(utm.medium)),
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
  /** Tags that only ads carry. */
  readonly isTaggedAd: boolean;
  readonly isTagged: boolean;
  /** Of another site. */
  readonly referrer: Referrer | undefined;
}

/**
 * An ad's click id is the strongest: the platform wrote it, a person wrote the tags. Then the tags, then click ids that also
 * stand on links nobody paid for, then the referrer.
 */
function channelOf(evidence: Evidence): MarketingChannel {
  const { medium, sourceSite, clickSite, clickId, isTaggedAd, isTagged, utmSource, referrer } = evidence;
  const site = sourceSite ?? clickSite ?? (utmSource === null ? referrer?.site : undefined);
  const said = medium && channelOfMedium(medium, site);
  if (clickId?.isAd && clickSite) {
    if (said && marketingChannels[said].canBeAd) return said;
    const isSamePlatform = sourceSite !== undefined && sourceSite.platform === clickSite.platform;
    return siteKinds[(isSamePlatform ? sourceSite : clickSite).kind].paid;
  }
  if (said && said !== 'unknown') return said;
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
  // The ad decided the channel; tags left over from elsewhere must not name the source.
  if (clickId?.isAd && clickSite && sourceSite && sourceSite.platform !== clickSite.platform) return clickSite.name;
  if (sourceSite) return sourceSite.name;
  if (utmSource !== null) return utmSource.toLowerCase();
  // Facebook's click id also comes from Instagram; the referrer knows better which of a platform's sites it was.
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

/** Platforms number what they have. Eight digits at least in free text: `utm_content=2026` is a year. */
function isPlatformId(value: string, { isFreeText }: IdParameter): boolean {
  return isFreeText ? /^\d{8,20}$/.test(value) : /^\d{4,20}$/.test(value);
}

const squash = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, '');

const mediumOf = new Map(media.flatMap((medium) => medium.words.map((word) => [word, medium] as const)));
const siteByWord = new Map(
  sites.flatMap((site) => [site.name, ...(site.words ?? [])].map((word) => [squash(word), site] as const)),
);
/** Tags of the campaign itself. A bare `creative` or `placement` is too common a word to make an arrival of a page view. */
const campaignParameters = [
  ...utmParameters,
  ...idParameters.map(({ parameter }) => parameter).filter((name) => name !== 'creative'),
  ...furtherCampaignParameters.filter((name) => /^(utm|hsa|gad)_/.test(name)),
];

/** utm_source is a word of ours, or a host: assistants write `chatgpt.com`. */
function siteOfWord(source: string): Site | undefined {
  return siteByWord.get(squash(source)) ?? (source.includes('.') ? siteOfHost(plainHost(source.trim())) : undefined);
}

/** HubSpot's ad tags name the network in `hsa_net`. */
function networkSite(parameters: ReadonlyMap<string, string>): Site | undefined {
  const network = parameters.get('hsa_net');
  return network === undefined ? undefined : siteOfWord(network);
}
