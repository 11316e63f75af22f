import { z } from 'zod';
import { addDays, dayIn } from '../days.ts';
import type { GoogleCredentials } from '../google-oauth.ts';
import type { Account, AdActions, Call, LiveEntity } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { wholeText } from '../read-answer.ts';
import { type AdsApi, customerOf } from './api.ts';
import { fromMicros, toMicros } from './money.ts';
import { statusOf } from './reads.ts';

type GoogleAccount = Account<GoogleCredentials>;

const Campaign = z.object({
  id: z.string(),
  name: z.string().default(''),
  status: z.string(),
  resourceName: z.string(),
});
const Budget = z.object({
  resourceName: z.string(),
  amountMicros: wholeText.optional(),
  explicitlyShared: z.boolean().default(false),
  period: z.string().optional(),
});
const CampaignRow = z.object({ campaign: Campaign, campaignBudget: Budget.optional() });
const AdGroupRow = z.object({
  adGroup: Campaign,
  campaign: z.object({ id: z.string(), status: z.string() }),
});
const AdRow = z.object({
  adGroupAd: z.object({
    resourceName: z.string(),
    status: z.string(),
    ad: z.object({ id: z.string(), name: z.string().optional() }),
  }),
  campaign: z.object({ id: z.string(), status: z.string() }),
});
const Spent = z.object({ metrics: z.object({ costMicros: wholeText.default('0') }) });
const recentDays = 7;

export function createAct(api: AdsApi): AdActions<GoogleCredentials> {
  const all = <T>(row: z.ZodType<T>, account: GoogleAccount, query: string, call: Call) =>
    api.all(row, customerOf(account), query, account.credentials.accessToken, call);

  /** Google ids are digits. Other ids match nothing and must not get into a query. */
  const isId = (id: string): boolean => /^\d{1,19}$/.test(id);

  const campaignOf = async (account: GoogleAccount, id: string, call: Call) =>
    (
      await all(
        CampaignRow,
        account,
        `SELECT campaign.resource_name, campaign.id, campaign.name, campaign.status, campaign_budget.resource_name, campaign_budget.amount_micros, campaign_budget.explicitly_shared, campaign_budget.period FROM campaign WHERE campaign.id = ${id}`,
        call,
      )
    )[0];
  const adGroupOf = async (account: GoogleAccount, id: string, call: Call) =>
    (
      await all(
        AdGroupRow,
        account,
        `SELECT ad_group.resource_name, ad_group.id, ad_group.name, ad_group.status, campaign.id, campaign.status FROM ad_group WHERE ad_group.id = ${id}`,
        call,
      )
    )[0];
  const adOf = async (account: GoogleAccount, id: string, call: Call) =>
    (
      await all(
        AdRow,
        account,
        `SELECT ad_group_ad.resource_name, ad_group_ad.ad.id, ad_group_ad.ad.name, ad_group_ad.status, campaign.id, campaign.status FROM ad_group_ad WHERE ad_group_ad.ad.id = ${id}`,
        call,
      )
    )[0];

  async function readCampaignActivity(account: GoogleAccount, id: string, call: Call): Promise<Partial<LiveEntity>> {
    const active = `SELECT ad_group_ad.resource_name FROM ad_group_ad WHERE campaign.id = ${id} AND ad_group_ad.status = 'ENABLED' AND ad_group.status = 'ENABLED' AND campaign.status = 'ENABLED'`;
    const today = dayIn(account.details.timeZone ?? 'UTC', call.now);
    const days = `segments.date BETWEEN '${addDays(today, -recentDays)}' AND '${addDays(today, -1)}'`;
    const spent = await all(
      Spent,
      account,
      `SELECT metrics.cost_micros FROM campaign WHERE campaign.id = ${id} AND ${days}`,
      call,
    );
    const micros = spent.reduce((sum, { metrics }) => sum + BigInt(metrics.costMicros), 0n);
    return {
      activeAds: (await all(z.unknown(), account, active, call)).length,
      recentSpend: fromMicros(String(micros)),
    };
  }

  return {
    async read(account, { level, externalId: id }, call) {
      if (!isId(id)) return undefined;
      const currency = account.details.currency ?? '';
      if (level === 'campaign') {
        const row = await campaignOf(account, id, call);
        if (!row) return undefined;
        const { amountMicros, period } = row.campaignBudget ?? {};
        const dailyBudget = amountMicros !== undefined && period === 'DAILY' ? fromMicros(amountMicros) : null;
        const status = statusOf(row.campaign.status);
        return {
          externalId: id,
          name: row.campaign.name,
          status,
          currency,
          dailyBudget,
          ...(await readCampaignActivity(account, id, call)),
        };
      }
      const row = level === 'ad_set' ? await adGroupOf(account, id, call) : await adOf(account, id, call);
      if (!row) return undefined;
      const entity = 'adGroup' in row ? row.adGroup : { ...row.adGroupAd.ad, status: row.adGroupAd.status };
      return {
        externalId: id,
        name: entity.name ?? id,
        status: statusOf(entity.status),
        currency,
        // Budgets belong to campaigns.
        dailyBudget: null,
        campaignId: row.campaign.id,
        campaignStatus: statusOf(row.campaign.status),
      };
    },

    async setStatus(account, { level, externalId: id }, status, call) {
      if (!isId(id)) throw notFound(id);
      const at = customerOf(account);
      const token = account.credentials.accessToken;
      const googleStatus = status === 'ACTIVE' ? 'ENABLED' : 'PAUSED';
      if (level === 'ad') {
        const row = await adOf(account, id, call);
        if (!row) throw notFound(id);
        const update = { resourceName: row.adGroupAd.resourceName, status: googleStatus };
        await api.mutate(at, 'adGroupAds', update, 'status', token, call);
        return;
      }
      const resource = level === 'campaign' ? 'campaigns' : 'adGroups';
      const update = { resourceName: `customers/${at.id}/${resource}/${id}`, status: googleStatus };
      await api.mutate(at, resource, update, 'status', token, call);
    },

    async setDailyBudget(account, { level, externalId: id }, amount, call) {
      if (level !== 'campaign') throw refused('budget_of_campaign', 'Google Ads has budgets on campaigns only.');
      const row = isId(id) ? await campaignOf(account, id, call) : undefined;
      const budget = row?.campaignBudget;
      if (!budget) throw notFound(id);
      if (budget.explicitlyShared) throw refused('shared_budget', 'The budget is shared with other campaigns.');
      const micros = toMicros(amount);
      if (micros === undefined) throw refused('amount_not_possible', `${amount} is no amount.`);
      const update = { resourceName: budget.resourceName, amountMicros: micros };
      await api.mutate(
        customerOf(account),
        'campaignBudgets',
        update,
        'amount_micros',
        account.credentials.accessToken,
        call,
      );
    },
  };
}

const refused = (code: string, says: string): ProviderFault => new ProviderFault({ verdict: 'refused', code, says });
const notFound = (id: string): ProviderFault => refused('unknown', `Google Ads has no ${id}.`);
