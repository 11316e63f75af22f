import type { EntityLevel } from '@tributary/contract';
import { ratio, unitCost } from '@tributary/rules';
import { nilUuid } from '@tributary/vocabulary';
import type { AccountNames } from './accounts.ts';
import { countOrNull, outcomesOf, spendOf } from './figures.ts';
import type { EntityRow } from './read-entities.ts';

/** The fields of a row that do not depend on the level. */
export function campaignRow(row: EntityRow, currency: string) {
  const outcomes = outcomesOf(row, row.by_type, currency);
  const spend = spendOf(row, currency);
  return {
    campaign_id: row.entity_id,
    campaign_name: nameOf(row.name, row.external_id) ?? '',
    external_id: row.external_id || null,
    platform: row.platform,
    spend,
    ...outcomes,
    roas: ratio(outcomes.outcome_value, spend),
    cac_first_payment: unitCost(spend, outcomes.outcome_count_first_payment, currency),
  };
}

/** A row with the additional fields of its level. */
export function levelRow(row: EntityRow, currency: string, level: EntityLevel, accounts: AccountNames) {
  const short = campaignRow(row, currency);
  const [impressions, clicks] = [Number(row.impressions), Number(row.clicks)];
  return {
    ...short,
    entity_level: level,
    parent_name:
      nameOf(row.ad_set_name, row.ad_set_external_id) ?? nameOf(row.campaign_name, row.campaign_external_id) ?? null,
    impressions,
    clicks,
    reach: countOrNull(row.reach),
    ctr: ratio(clicks, impressions, 100),
    avg_cpm: unitCost(short.spend, impressions, currency, 1_000),
    avg_cpc: unitCost(short.spend, clicks, currency),
    cac: unitCost(short.spend, short.outcome_count, currency),
    status: row.status || null,
    // Platforms set the objective on campaigns; ad sets and ads inherit it.
    objective: row.objective || row.campaign_objective || null,
    daily_budget: row.daily_budget === null ? null : Number(row.daily_budget),
    budget_currency: row.daily_budget === null ? null : row.currency || null,
    campaign_external_id: row.campaign_external_id || null,
    ad_set_external_id: row.ad_set_external_id || null,
    messaging_conversations_started_7d: countOrNull(row.conversations),
    connection_id: row.connection_id === nilUuid ? null : row.connection_id,
    account_name: accounts.get(row.connection_id) ?? null,
  };
}

/** Falls back to the platform's id until a name has been reported. */
export const nameOf = (name: string, externalId: string): string | undefined => name || externalId || undefined;
