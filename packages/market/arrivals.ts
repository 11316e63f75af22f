import { classifyVisit } from '@tributary/rules';
import type { Ad, AdSet, Campaign } from './ads.ts';

/** One way to arrive at the shop: the page URL and the referrer, and their classification. */
export interface Arrival {
  readonly url: string;
  readonly referrer: string | null;
  /** Added to the URL with a different value for each click. */
  readonly clickId: 'gclid' | 'fbclid' | null;
  readonly channel: string;
  readonly source: string;
  readonly medium: string;
  readonly platform: string;
  readonly clickIdKind: string;
  /** The URL names a campaign or a click, so it is a touch also in the middle of a session. */
  readonly isNamed: boolean;
  /** Null for an organic visit. */
  readonly ad: Ad | null;
  /** The entities that the URL names. */
  readonly named: {
    readonly campaign: Campaign | null;
    readonly adSet: AdSet | null;
    readonly ad: Ad | null;
  };
}

export const shop = 'https://shop.example';

/** An ad is shown on one or two sites. */
export function adArrivals(ad: Ad): Arrival[] {
  if (ad.platform === 'search_ads') return [arrivalOf(ad, '/collections/all', 'https://www.google.com/', 'gclid')];
  return [
    arrivalOf(ad, '/products/sneaker', 'https://l.facebook.com/', 'fbclid'),
    arrivalOf(ad, '/products/sneaker', 'https://l.instagram.com/', 'fbclid'),
  ];
}

function arrivalOf(ad: Ad, path: string, referrer: string, clickId: 'gclid' | 'fbclid'): Arrival {
  const { adSet, tagging } = ad;
  const campaign = tagging === 'all' || tagging === 'campaign_only' ? adSet.campaign : null;
  const named = {
    campaign,
    adSet: tagging === 'all' ? adSet : null,
    ad: tagging === 'all' || tagging === 'ad_only' ? ad : null,
  };
  const parameters = new URLSearchParams();
  if (tagging !== 'none') {
    parameters.set('utm_source', ad.platform === 'search_ads' ? 'google' : 'facebook');
    parameters.set('utm_medium', 'cpc');
  }
  if (named.campaign) parameters.set('campaign_id', named.campaign.externalId);
  if (named.adSet) parameters.set('adset_id', named.adSet.externalId);
  if (named.ad) parameters.set('ad_id', named.ad.externalId);
  return classified({ url: addressOf(path, parameters), referrer, clickId, ad, named });
}

const unpaid = (path: string, referrer: string | null, parameters: Record<string, string> = {}): Arrival =>
  classified({
    url: addressOf(path, new URLSearchParams(parameters)),
    referrer,
    clickId: null,
    ad: null,
    named: { campaign: null, adSet: null, ad: null },
  });

function addressOf(path: string, parameters: URLSearchParams): string {
  const query = parameters.toString();
  return `${shop}${path}${query === '' ? '' : `?${query}`}`;
}

/** The URL of one click. */
export function clickAddress({ url, clickId }: Pick<Arrival, 'url' | 'clickId'>, value: string): string {
  return clickId === null ? url : `${url}${url.includes('?') ? '&' : '?'}${clickId}=${value}`;
}

/** The channel is classified by the product's own rules; the ad is known from the simulation. */
function classified(
  input: Omit<Arrival, 'channel' | 'source' | 'medium' | 'platform' | 'clickIdKind' | 'isNamed'>,
): Arrival {
  const of = classifyVisit({ url: clickAddress(input, 'one'), referrer: input.referrer });
  return {
    ...input,
    channel: of.channel,
    source: of.source,
    medium: of.medium,
    platform: of.platform ?? '',
    clickIdKind: of.clickIdKind ?? '',
    isNamed: of.hasCampaign || of.hasClickId,
  };
}

const repeat = (times: number, arrival: Arrival): Arrival[] => Array.from({ length: times }, () => arrival);

/** Organic arrivals, weighted by repetition. */
export const unpaidArrivals: readonly Arrival[] = [
  ...repeat(6, unpaid('/', null)),
  ...repeat(4, unpaid('/products/sneaker', 'https://www.google.com/')),
  ...repeat(2, unpaid('/', 'https://www.bing.com/')),
  ...repeat(2, unpaid('/', 'https://www.instagram.com/')),
  ...repeat(3, unpaid('/sale', null, { utm_source: 'newsletter', utm_medium: 'email', utm_campaign: 'weekly' })),
  ...repeat(1, unpaid('/products/sneaker', 'https://blog.example.org/best-shoes')),
  ...repeat(1, unpaid('/', 'https://chatgpt.com/')),
];
