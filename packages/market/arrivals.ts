import { classifyVisit } from '@tributary/rules';
import type { Ad, AdSet, Campaign } from './ads.ts';

/** One way of coming to the shop: the two addresses that a browser tells, and what the rules make of them. */
export interface Arrival {
  readonly url: string;
  readonly referrer: string | null;
  /** Added to the address with a value of its own for each click. */
  readonly clickId: 'gclid' | 'fbclid' | null;
  readonly channel: string;
  readonly source: string;
  readonly medium: string;
  readonly platform: string;
  readonly clickIdKind: string;
  /** Its address names a campaign or a click, so it is a touch in the middle of a session, too. */
  readonly isNamed: boolean;
  /** Null for a visit that nobody paid for. */
  readonly ad: Ad | null;
  /** As far as the address names them. */
  readonly named: {
    readonly campaign: Campaign | null;
    readonly adSet: AdSet | null;
    readonly ad: Ad | null;
  };
}

export const shop = 'https://shop.example';

/** An ad is met on one or two sites. */
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

/** The address of one click. */
export function clickAddress({ url, clickId }: Pick<Arrival, 'url' | 'clickId'>, value: string): string {
  return clickId === null ? url : `${url}${url.includes('?') ? '&' : '?'}${clickId}=${value}`;
}

/** What channel it is, the product's own rules say; which ad it is, we know. */
function classified(
  said: Omit<Arrival, 'channel' | 'source' | 'medium' | 'platform' | 'clickIdKind' | 'isNamed'>,
): Arrival {
  const of = classifyVisit({ url: clickAddress(said, 'one'), referrer: said.referrer });
  return {
    ...said,
    channel: of.channel,
    source: of.source,
    medium: of.medium,
    platform: of.platform ?? '',
    clickIdKind: of.clickIdKind ?? '',
    isNamed: of.hasCampaign || of.hasClickId,
  };
}

const often = (times: number, arrival: Arrival): Arrival[] => Array.from({ length: times }, () => arrival);

/** How else people come, each as often as it stands here. */
export const unpaidArrivals: readonly Arrival[] = [
  ...often(6, unpaid('/', null)),
  ...often(4, unpaid('/products/sneaker', 'https://www.google.com/')),
  ...often(2, unpaid('/', 'https://www.bing.com/')),
  ...often(2, unpaid('/', 'https://www.instagram.com/')),
  ...often(3, unpaid('/sale', null, { utm_source: 'newsletter', utm_medium: 'email', utm_campaign: 'weekly' })),
  ...often(1, unpaid('/products/sneaker', 'https://blog.example.org/best-shoes')),
  ...often(1, unpaid('/', 'https://chatgpt.com/')),
];
