import { toMinorUnits } from '@tributary/rules';
import { type Client, TributaryError } from '@tributary/sdk';
import type { EntityLevel } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';

/** The platform whose ads the demo's members change and to which they export sales. */
const platform = 'social_ads';
/** Close to the budgets of the sandbox's ad sets, because one change of budget is limited. */
const dailyBudget = '50';
/** Statuses of actions that are possible for some ads and not for others. */
const refusals = [409, 422];

/** The date range of their reports. */
interface Range {
  readonly date_from: string;
  readonly date_to: string;
}

/**
 * Recent actions of the shop's members: a changed budget, a paused ad and campaign, one of them resumed, sales exported to the platform, fitted
 * models. Each fills a screen.
 */
export async function recordActions(client: Client, range: Range): Promise<void> {
  const { data: connections } = await client.listConnections({ query: { channel: platform } });
  const connectionId = connections.find(({ status }) => status === 'connected')?.id;
  if (!connectionId) return;
  const { meta } = await client.listCampaigns({ query: range });
  const running = async (level: EntityLevel) => {
    const { data } = await client.listCampaigns({ query: { ...range, level, limit: 100 } });
    return data.flatMap((row) =>
      row.platform === platform && row.external_id && row.spend ? [{ ...row, external_id: row.external_id }] : [],
    );
  };
  const [campaigns, adSets, ads] = [await running('campaign'), await running('ad_set'), await running('ad')];
  const minor = Number(toMinorUnits(dailyBudget, meta.currency));
  const actionOn = (id: string) => ({ params: { id }, idempotencyKey: uuid() });
  await firstThatAccepts(adSets, (id) =>
    client.updateAdSetBudget({ ...actionOn(id), body: { daily_budget_minor: minor } }),
  );
  await firstThatAccepts(ads.toReversed(), (id) => client.pauseAd({ ...actionOn(id), body: {} }));
  await firstThatAccepts(campaigns.toReversed(), async (id) => {
    await client.pauseCampaign({ ...actionOn(id), body: {} });
    await client.resumeCampaign({ ...actionOn(id), body: {} });
  });
  await exportToPlatform(client, connectionId, meta.currency);
  await client.createModelFit();
}

/** Tries until one accepts the change: a budget may be the campaign's, an ad archived. */
async function firstThatAccepts(
  rows: readonly { readonly external_id: string }[],
  change: (id: string) => Promise<unknown>,
): Promise<void> {
  for (const { external_id: id } of rows) {
    try {
      await change(id);
      return;
    } catch (error) {
      if (!(error instanceof TributaryError && refusals.includes(error.status ?? 0))) throw error;
    }
  }
}

/** They buy without an account, so only their e-mail addresses are known. */
export const buyers = [
  { first_name: 'Elena', last_name: 'Soto', value: '64.90' },
  { first_name: 'Jonas', last_name: 'Lind', value: '129.00' },
  { first_name: 'Camila', last_name: 'Rojas', value: '38.50' },
] as const;

export const emailOf = ({ first_name, last_name }: (typeof buyers)[number]): string =>
  `${first_name}.${last_name}@example.com`.toLowerCase();

/** Exports payments to the platform from now on, these first. */
async function exportToPlatform(client: Client, connectionId: string, currency: string): Promise<void> {
  const { data } = await client.listPixels({ params: { id: connectionId } });
  const dataset = data.pixels[0]?.id;
  if (!dataset) return;
  await client.updateExportCatalog({
    body: {
      exports: [{ connection_id: connectionId, dataset, events: { payment_received: 'Purchase' }, every_minutes: 1 }],
    },
  });
  for (const [nth, buyer] of buyers.entries()) {
    const { first_name, last_name, value } = buyer;
    await client.createEvent({
      body: {
        event_name: 'payment_received',
        idempotency_key: `demo-sale-${nth}`,
        properties: { value, currency },
        user_traits: { email: emailOf(buyer), first_name, last_name },
        action_source: 'physical_store',
      },
    });
  }
}
