import { json } from '@tributary/sandbox';
import { dayMs } from '@tributary/vocabulary';
import { adsError } from '../../apps/sandbox/google/ads.ts';
import { restatedKey } from '../../apps/sandbox/restated.ts';
import { nextOf, openAdvertiser } from './providers-ads.ts';
import { cutOff, outage, throttled } from './providers-faults.ts';
import type { Life } from './providers-life.ts';
import { dayOf, type ProvidersWorld } from './providers-world.ts';

const googleStatus: Readonly<Record<string, string>> = { ENABLED: 'ACTIVE', PAUSED: 'PAUSED', REMOVED: 'DELETED' };

export async function openGoogleAds(world: ProvidersWorld): Promise<Life> {
  const { google } = world.ads;
  const { state } = google;
  const customerOf = (id: string) => state.customers.find((one) => one.id === id) as (typeof state.customers)[number];
  const ranDays = new Map(state.customers.map((one) => [one.id, google.days(one, 'ad_group_ad').length]));
  // The two customers with the most delivery rows. Some customers of the simulated market have no ads that ran.
  const [first, second] = [...ranDays.keys()].sort(
    (one, other) => Number(ranDays.get(other)) - Number(ranDays.get(one)),
  ) as [string, string];
  const statusOf = (status: string) => googleStatus[status] ?? status;
  const text = (value: unknown) => String(value ?? '');
  const platform = await openAdvertiser(
    world,
    {
      entities(account) {
        const mine = <T>(all: readonly T[], of: (one: T) => { readonly id: string }) =>
          all.filter((one) => of(one).id === account);
        return [
          ...mine(state.campaigns, ({ customer }) => customer).map(({ of, name, status }) => ({
            level: 'campaign' as const,
            id: of.externalId,
            name,
            status: statusOf(status),
            parent: null,
          })),
          ...mine(state.adGroups, ({ campaign }) => campaign.customer).map(({ of, name, status, campaign }) => ({
            level: 'ad_set' as const,
            id: of.externalId,
            name,
            status: statusOf(status),
            parent: campaign.of.externalId,
          })),
          ...mine(state.ads, ({ adGroup }) => adGroup.campaign.customer).map(({ of, status, adGroup }) => ({
            level: 'ad' as const,
            id: of.externalId,
            name: of.creative.headline,
            status: statusOf(status),
            parent: adGroup.of.externalId,
          })),
        ];
      },
      days(account) {
        const rows = (['ad_group_ad', 'campaign'] as const).flatMap((resource) =>
          google
            .days(customerOf(account), resource)
            .filter(
              (row) => resource === 'ad_group_ad' || row['campaign.advertising_channel_type'] === 'PERFORMANCE_MAX',
            )
            .map((row) => ({ row, level: resource === 'campaign' ? ('campaign' as const) : ('ad' as const) })),
        );
        return rows
          .filter(({ row }) => text(row['segments.date']) >= world.first)
          .map(({ row, level }) => ({
            level,
            id: text(row[level === 'ad' ? 'ad_group_ad.ad.id' : 'campaign.id']),
            campaign: text(row['campaign.id']),
            day: text(row['segments.date']),
            spend: String(Number(text(row['metrics.cost_micros'])) / 1_000_000),
            currency: customerOf(account).currency,
            impressions: Number(row['metrics.impressions']),
            clicks: Number(row['metrics.clicks']),
            conversions: Number(row['metrics.conversions']),
            value: Number(row['metrics.conversions_value']),
          }));
      },
    },
    'search_ads',
    'google',
  );
  const live = () =>
    state.ads.filter(({ adGroup, status }) => adGroup.campaign.customer.id === first && status === 'ENABLED');
  const anAd = nextOf(live);
  /** Delivery rows of the days that a sync reads again. */
  const ran = nextOf(() =>
    [...platform.accounts.keys()]
      .flatMap((account) => google.days(customerOf(account), 'ad_group_ad'))
      .filter((row) => text(row['segments.date']) > dayOf(world.now().getTime() - 20 * dayMs)),
  );
  const api = {
    path: '/google/ads/',
    throttle: adsError({
      status: 429,
      rpc: 'RESOURCE_EXHAUSTED',
      errorCode: { quotaError: 'RESOURCE_EXHAUSTED' },
      quota: { rateScope: 'ACCOUNT', retryDelay: '120s' },
    }),
    outage: json(503, {
      error: { code: 503, message: 'The service is currently unavailable.', status: 'UNAVAILABLE' },
    }),
  };
  return {
    name: 'Google Ads',
    ...platform.life,
    events: {
      consent: () => platform.connect(first, [first, second]),
      'first sync': () => undefined,
      attribution: async () => {
        for (let n = 0; n < 3; n += 1) {
          const { of, adGroup } = anAd();
          await platform.buyAfter({
            ad: of.externalId,
            adSet: adGroup.of.externalId,
            campaign: adGroup.campaign.of.externalId,
          });
        }
      },
      'new records': () => undefined,
      changed: () => {
        const { adGroup } = anAd();
        adGroup.name = `${adGroup.name}, renamed`;
        adGroup.campaign.name = `${adGroup.campaign.name}, renamed`;
      },
      'archived or deleted': () => {
        anAd().status = 'REMOVED';
        anAd().status = 'PAUSED';
        anAd().adGroup.status = 'PAUSED';
      },
      restated: () => {
        for (const percent of [90, 112, 0]) {
          const row: ReturnType<typeof ran> | undefined = ran();
          // No ad of the simulated market ran recently.
          if (!row) return;
          state.restated.set(restatedKey(text(row['ad_group_ad.ad.id']), text(row['segments.date'])), percent);
        }
      },
      'token expired': () => undefined,
      'revoked, reconnected': () => platform.revoke(),
      outage: () => outage(world, 'search_ads', api, () => undefined),
      throttled: () => throttled(world, 'search_ads', api, () => undefined),
      'page cut off': () => cutOff(world, 'search_ads', api, () => undefined),
      'second account': async () => {
        if (!platform.accounts.has(second)) await platform.connect(second);
      },
      'a month passes': () => undefined,
    },
  };
}
