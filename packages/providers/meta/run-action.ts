import type { EntityLevel } from '@tributary/vocabulary';
import { z } from 'zod';
import { addDays, dayIn } from '../days.ts';
import type { Account, AdActions, Call, LiveEntity } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { decimalText, readAs } from '../read-answer.ts';
import type { MetaCredentials } from './credentials.ts';
import { budgetOf, Creative, creativeFields, parseCreative } from './entities.ts';
import type { Graph } from './graph.ts';
import { fromMetaUnits, minDailyBudget, toMetaUnits } from './money.ts';

const fieldsOf: Readonly<Record<EntityLevel, string>> = {
  campaign: 'id,account_id,name,status,daily_budget',
  ad_set: 'id,account_id,name,status,daily_budget,campaign{id,status}',
  ad: `id,account_id,name,status,campaign{id,status},creative{${creativeFields}}`,
};
const Node = z.object({
  id: z.string(),
  account_id: z.string().optional(),
  name: z.string().default(''),
  status: z.string(),
  daily_budget: z
    .string()
    .regex(/^\d{0,18}$/)
    .optional(),
  campaign: z.object({ id: z.string(), status: z.string() }).optional(),
  creative: Creative.optional(),
});
const AccountMoney = z.object({ currency: z.string(), min_daily_budget: minDailyBudget.optional() });
const Total = z.object({ summary: z.object({ total_count: z.number() }) });
const Spent = z.object({ data: z.array(z.object({ spend: decimalText })) });
const Made = z.object({ id: z.string() });

type MetaAccount = Account<MetaCredentials>;
const recentDays = 7;

/** Changes are absolute, so a change whose response was lost can be sent again. */
export function createAct(graph: Graph): AdActions<MetaCredentials> {
  const tokenOf = ({ credentials }: MetaAccount) => credentials.accessToken;

  async function readNode(account: MetaAccount, id: string, fields: string, call: Call) {
    const { body } = await graph.get(encodeURIComponent(id), { fields }, tokenOf(account), call);
    return readAs(Node, body, 'entity');
  }

  async function readMoney(account: MetaAccount, call: Call) {
    const fields = 'currency,min_daily_budget';
    const { body } = await graph.get(account.externalId, { fields }, tokenOf(account), call);
    return readAs(AccountMoney, body, 'ad account');
  }

  async function readCampaignActivity(account: MetaAccount, id: string, call: Call): Promise<Partial<LiveEntity>> {
    const active = { effective_status: '["ACTIVE"]', summary: 'total_count', limit: '1', fields: 'id' };
    const ads = await graph.get(`${id}/ads`, active, tokenOf(account), call);
    const today = dayIn(account.details.timeZone ?? 'UTC', call.now);
    const range = JSON.stringify({ since: addDays(today, -recentDays), until: addDays(today, -1) });
    const spent = await graph.get(`${id}/insights`, { fields: 'spend', time_range: range }, tokenOf(account), call);
    return {
      activeAds: readAs(Total, ads.body, 'ads').summary.total_count,
      recentSpend: readAs(Spent, spent.body, 'insights').data[0]?.spend ?? '0',
    };
  }

  return {
    async read(account, { level, externalId }, call) {
      try {
        const [read, { currency, min_daily_budget: minBudget }] = [
          await readNode(account, externalId, fieldsOf[level], call),
          await readMoney(account, call),
        ];
        // A token may see several accounts; budgets are in the currency of the entity's own account.
        if (read.account_id !== undefined && `act_${read.account_id}` !== account.externalId) return undefined;
        return {
          externalId: read.id,
          name: read.name,
          status: read.status,
          currency,
          dailyBudget: budgetOf(read.daily_budget, currency).dailyBudget ?? null,
          ...(minBudget !== undefined && { leastDailyBudget: fromMetaUnits(minBudget, currency) }),
          ...(read.campaign && { campaignId: read.campaign.id, campaignStatus: read.campaign.status }),
          ...(read.creative && { creative: parseCreative(read.creative) }),
          ...(level === 'campaign' && (await readCampaignActivity(account, read.id, call))),
        };
      } catch (error) {
        if (isUnknown(error)) return undefined;
        throw error;
      }
    },

    async setStatus(account, { externalId }, status, call) {
      await graph.post(encodeURIComponent(externalId), { status }, tokenOf(account), call);
    },

    async setDailyBudget(account, { externalId }, amount, call) {
      const { currency } = await readMoney(account, call);
      const units = toMetaUnits(amount, currency);
      if (units === undefined) throw refused('amount_not_possible', `Meta has no ${amount} ${currency}.`);
      await graph.post(encodeURIComponent(externalId), { daily_budget: units }, tokenOf(account), call);
    },

    async setUrlTags(account, adExternalId, to, call) {
      const ad = await readNode(account, adExternalId, fieldsOf.ad, call);
      const before = ad.creative;
      if (!before) throw refused('no_creative', 'The ad has no creative.');
      const creativeId =
        'creativeId' in to ? to.creativeId : await createCreative(account, ad.status, before, to.urlTags, call);
      const creative = JSON.stringify({ creative_id: creativeId });
      await graph.post(encodeURIComponent(adExternalId), { creative }, tokenOf(account), call);
      return { creativeId: before.id };
    },
  };

  /**
   * A creative cannot be changed: the ad gets another one that shows the same post. Meta returns the existing id for an identical
   * creative.
   */
  async function createCreative(
    account: MetaAccount,
    status: string,
    before: Creative,
    urlTags: string,
    call: Call,
  ): Promise<string> {
    if (status === 'ARCHIVED' || status === 'DELETED') throw refused('archived', 'An archived ad cannot be changed.');
    if (before.asset_feed_spec !== undefined) {
      throw refused('dynamic_creative', 'The ad is put together by Meta and has no post of its own.');
    }
    const story = before.effective_object_story_id;
    if (story === undefined) throw refused('no_story', 'The ad shows no post that another creative could show.');
    const params = { object_story_id: story, url_tags: urlTags };
    const { body } = await graph.post(`${account.externalId}/adcreatives`, params, tokenOf(account), call);
    return readAs(Made, body, 'creative').id;
  }
}

const refused = (code: string, says: string): ProviderFault => new ProviderFault({ verdict: 'refused', code, says });

/** The id does not exist or belongs to another account. */
const isUnknown = (error: unknown): boolean => error instanceof ProviderFault && error.details.code === '100/33';
