import { syncs } from '@tributary/domain/advertising/connections/module.ts';
import {
  type AdAccount,
  adPlatformsOf,
  connectAdAccount,
  openAdPlatform,
  openTestWithClickHouse,
  processQueue,
  scene,
  testOutcomeServices,
  testVault,
} from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { afterAll } from 'vitest';

export const currencies = ['EUR', 'USD', 'CLP', 'KWD', 'JPY'] as const;

/** An API and a worker with the sandbox's Meta and Google Ads, each with one account per currency. */
export async function openAccounts() {
  let now = () => new Date();
  const { sandbox, providerOutbound } = await openAdPlatform(currencies, () => now(), 10_000);
  afterAll(() => sandbox.close());
  const providers = adPlatformsOf(sandbox);
  const { kit, api, clickhouse } = await openTestWithClickHouse({ providers, providerOutbound, adPatienceMs: 10_000 });
  now = () => kit.clock.now();
  const stores = { app: kit.app, system: kit.system, now, providers, providerOutbound, vault: testVault };
  const reader = syncs({ ...stores, outcomes: testOutcomeServices, random: () => 0 });
  const { meta, google } = sandbox.book;

  /** A profile with these accounts, connected and synced in this order. */
  async function openShop(accounts: readonly AdAccount[]) {
    const scopes = ['campaigns:apply', 'campaigns:read', 'attribution:write', 'connections:write', 'connections:read'];
    const shop = await scene({ kit, api, clickhouse }, { scopes: scopes as never });
    const connections = new Map<string, string>();
    const connect = async (account: AdAccount) => {
      const id = await connectAdAccount(kit, sandbox, shop, account);
      connections.set(nameOf(account), id);
      return id;
    };
    for (const account of accounts) await connect(account);
    const post = async (path: string, body: object = {}) => {
      const headers = { ...shop.full, 'idempotency-key': uuid() };
      const answer = await shop.call('POST', `/api/v1${path}`, body, headers);
      return { status: answer.statusCode, ...answer.json() };
    };
    const get = async (path: string) => (await shop.ask(`/api/v1${path}`)).body;
    const sync = async () => {
      await post('/connections/sync');
      await processQueue(kit.system, 'syncs', reader);
    };
    const connectionOf = (account: AdAccount) => connections.get(nameOf(account)) as string;
    return { ...shop, connect, post, get, sync, connectionOf };
  }

  /** A campaign and an ad of an account, and for Meta also an ad set with its own budget. */
  function nodesOf({ channel, currency }: AdAccount) {
    if (channel === 'social_ads') {
      const { campaigns, adSets, ads } = meta.state;
      const ofCurrency = <N extends { account: { currency: string } }>(nodes: readonly N[]) =>
        nodes.filter(({ account }) => account.currency === currency);
      const adSet = ofCurrency(adSets).find(({ dailyBudget }) => dailyBudget !== undefined);
      const ad = ofCurrency(ads).find(({ status }) => status === 'ACTIVE');
      return { campaign: ofCurrency(campaigns)[0]?.id, ad: ad?.id, adSet: adSet?.id };
    }
    const { campaigns, ads } = google.state;
    const campaign = campaigns.find(({ customer }) => customer.currency === currency);
    const ad = ads.find((one) => one.adGroup.campaign.customer.currency === currency && one.status === 'ENABLED');
    return { campaign: campaign?.of.externalId, ad: ad?.of.externalId, adSet: undefined };
  }

  return { kit, sandbox, openShop, nodesOf };
}

const nameOf = ({ channel, currency }: AdAccount) => `${channel} ${currency}`;
