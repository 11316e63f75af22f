import { json, type Reply } from '@tributary/sandbox';
import { dayMs } from '@tributary/vocabulary';
import { metaError } from '../../apps/sandbox/meta/envelope.ts';
import { restatedKey } from '../../apps/sandbox/restated.ts';
import { nextOf, openAdvertiser } from './providers-ads.ts';
import { cutOff, outage, throttled } from './providers-faults.ts';
import type { Life } from './providers-life.ts';
import { dayOf, type ProvidersWorld } from './providers-world.ts';

export async function openMeta(world: ProvidersWorld): Promise<Life> {
  const { meta } = world.ads;
  const { state } = meta;
  const accountOf = (id: string) => state.accounts.find((one) => one.id === id) as (typeof state.accounts)[number];
  const [first, second] = state.accounts.map(({ id }) => id) as [string, string];
  const since = world.first;
  const platform = await openAdvertiser(
    world,
    {
      entities(account) {
        const mine = <T extends { readonly account: { readonly id: string } }>(all: readonly T[]) =>
          all.filter((one) => one.account.id === account);
        return [
          ...mine(state.campaigns).map(({ id, name, status }) => ({
            level: 'campaign' as const,
            id,
            name,
            status,
            parent: null,
          })),
          ...mine(state.adSets).map(({ id, name, status, campaign }) => ({
            level: 'ad_set' as const,
            id,
            name,
            status,
            parent: campaign.id,
          })),
          ...mine(state.ads).map(({ id, name, status, adSet }) => ({
            level: 'ad' as const,
            id,
            name,
            status,
            parent: adSet.id,
          })),
        ];
      },
      days: (account) =>
        meta.days(accountOf(account), since, world.today()).map((row) => ({
          level: 'ad',
          id: row.ad.id,
          campaign: row.ad.adSet.campaign.id,
          day: row.day,
          spend: row.spend,
          currency: accountOf(account).currency,
          impressions: row.impressions,
          clicks: row.clicks,
          conversions: row.purchases,
          value: row.purchases > 0 ? row.purchaseValue : 0,
        })),
    },
    'social_ads',
    'meta',
  );
  const live = () => state.ads.filter(({ account, status }) => account.id === first && status === 'ACTIVE');
  const [anAd, anotherAd] = [nextOf(live), nextOf(live)];
  const ran = nextOf(() => meta.days(accountOf(first), dayOf(world.now().getTime() - 20 * dayMs), world.today()));
  const usage = (name: string, value: object): Reply =>
    metaError({
      code: 80_000,
      message: 'There have been too many calls from this ad-account.',
      headers: { [name]: JSON.stringify(value) },
    });
  const business = {
    5000001: [
      { type: 'ads_insights', call_count: 100, total_cputime: 98, total_time: 99, estimated_time_to_regain_access: 3 },
    ],
  };
  const api = {
    path: /^\/meta\/[^/]+\/(act_\d+|\d+)\//,
    throttle: usage('x-business-use-case-usage', business),
    outage: json(500, {
      error: { code: 2, message: 'Service temporarily unavailable', type: 'OAuthException', is_transient: true },
    }),
  };
  return {
    name: 'Meta',
    ...platform.life,
    events: {
      // The merchant shares both accounts and chooses one.
      consent: () => platform.connect(first, [first, second]),
      'first sync': () => undefined,
      attribution: async () => {
        for (let n = 0; n < 3; n += 1) {
          const ad = anAd();
          await platform.buyAfter({ ad: ad.id, adSet: ad.adSet.id, campaign: ad.adSet.campaign.id });
        }
      },
      // Each day adds new figures and changes those of the previous weeks.
      'new records': () => undefined,
      changed: () => {
        const ad = anAd();
        ad.name = `${ad.name}, renamed`;
        ad.adSet.name = `${ad.adSet.name}, renamed`;
        ad.adSet.campaign.name = `${ad.adSet.campaign.name}, renamed`;
      },
      'archived or deleted': () => {
        anAd().status = 'ARCHIVED';
        anotherAd().status = 'DELETED';
        anAd().adSet.status = 'PAUSED';
      },
      moved: () => {
        const ad = anAd();
        const others = state.adSets.filter(
          ({ account, campaign }) => account.id === first && campaign !== ad.adSet.campaign,
        );
        const to = others[Number(ad.id) % others.length];
        if (to) ad.adSet = to;
      },
      restated: () => {
        for (const percent of [90, 112, 0]) {
          const { ad, day } = ran();
          state.restated.set(restatedKey(ad.id, day), percent);
        }
      },
      // Meta's tokens cannot be refreshed, so the merchant consents again.
      'token expired': () => platform.expire('EAAsandbox'),
      'revoked, reconnected': () => platform.revoke(),
      outage: () => outage(world, 'social_ads', api, () => undefined),
      throttled: () => throttled(world, 'social_ads', api, () => undefined),
      'page cut off': () => cutOff(world, 'social_ads', api, () => undefined),
      'second account': async () => {
        if (!platform.accounts.has(second)) await platform.connect(second);
      },
      // Consents last for sixty days; the merchant renews them when reminded.
      'a month passes': async () => {
        for (const account of platform.accounts.keys()) await platform.connect(account);
      },
    },
  };
}
