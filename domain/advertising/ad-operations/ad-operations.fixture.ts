import {
  auditEntries,
  connectMeta,
  metaOf,
  openAdPlatform,
  openTestWithClickHouse,
  processQueue,
  recordAds,
  type SceneTraits,
  scene,
  testVault,
} from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { afterAll, expect } from 'vitest';
import { adActions } from './ad-actions.queue.ts';

/** An API and a worker with the sandbox's Meta, and shops with an account there. */
export async function openOperations(...currencies: readonly string[]) {
  let now = () => new Date();
  const { sandbox, providerOutbound } = await openAdPlatform(currencies, () => now());
  afterAll(() => sandbox.close());
  const providers = metaOf(sandbox);
  const { kit, api, clickhouse } = await openTestWithClickHouse({ providers, providerOutbound, adPatienceMs: 4_000 });
  now = () => kit.clock.now();
  const handler = adActions({ app: kit.app, vault: testVault, providers, providerOutbound, now });
  const { state } = sandbox.book.meta;

  async function openShop(currency: string, traits: SceneTraits & { granted?: string[] } = {}) {
    const shop = await scene(
      { kit, api, clickhouse },
      { scopes: ['campaigns:apply', 'campaigns:read', 'attribution:write'], ...traits },
    );
    const connectionId = await connectMeta(kit, sandbox, shop, currency, traits.granted);
    await recordAds(sandbox, shop, currency);
    const post = async (path: string, body: object = {}, key: string = uuid(), headers: object = shop.full) => {
      const answer = await shop.call('POST', `/api/v1${path}`, body, { ...headers, 'idempotency-key': key });
      return { status: answer.statusCode, headers: answer.headers, ...answer.json() };
    };
    const get = async (path: string) => (await shop.ask(`/api/v1${path}`)).body;
    const ofAccount = <N extends { account: { currency: string } }>(nodes: readonly N[]) =>
      nodes.filter(({ account }) => account.currency === currency);
    return {
      ...shop,
      connectionId,
      post,
      get,
      campaigns: ofAccount(state.campaigns),
      adSets: ofAccount(state.adSets).filter((adSet) => adSet.dailyBudget !== undefined),
      withoutBudget: ofAccount(state.adSets).find((adSet) => adSet.dailyBudget === undefined) ?? expect.unreachable(),
      ads: ofAccount(state.ads).filter(({ status }) => status === 'ACTIVE'),
      actions: async (query = '') => (await get(`/ad-actions${query}`)).data,
      stages: async (id: string) =>
        (await get('/ad-actions')).data
          .find((one: { id: string }) => one.id === id)
          ?.entries.map(({ stage, reason }: { stage: string; reason: string | null }) =>
            reason ? `${stage}: ${reason}` : stage,
          ),
      audit: async () =>
        (await auditEntries(kit, { workspaceId: shop.workspaceId })).map(
          ({ action, target, result }) => `${action} ${target} ${result}`,
        ),
    };
  }

  return {
    kit,
    api,
    sandbox,
    openShop,
    /** The number of write requests to Meta. */
    writes: () => sandbox.book.calls.filter(({ method }) => method === 'POST').length,
    /** Runs the worker after the responses are overdue. */
    async settle(afterMs = 60_000) {
      kit.clock.advance(afterMs);
      return processQueue(kit.system, 'adActions', handler);
    },
  };
}
