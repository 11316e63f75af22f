import type { Routes } from '@tributary/contract';
import { type AdSetBudget, findLineages, listAdSetBudgets } from '@tributary/domain/advertising/campaigns';
import { credit, nameOf } from '@tributary/domain/measurement/reports';
import { answer, type Handles } from '@tributary/operations';
import { advise, intervalWidth, toMinorUnits } from '@tributary/rules';
import { type AdviceAction, type AdviceReason, dayMs, limits } from '@tributary/vocabulary';
import { type Calibration, calibrateBy, type Served } from './calibration.ts';
import { currentRefusal } from './fit-response.ts';
import type { ModelServices } from './services.ts';
import { findSettled } from './store.ts';
import { type ApplicableTest, readSpends, readTests, type Spends } from './tests.ts';

/** The figures of a campaign, in minor units. */
interface JudgedCampaign {
  readonly id: string;
  readonly spend: number;
  readonly caused: number;
  readonly error: number;
  /** Recent spend per day. */
  readonly perDay: number;
  readonly tests: readonly string[];
}

/** Computes advice only; budgets are changed by the budget route, for which it returns requests. */
export const readAdvice: Handles<Routes['readAdvice'], ModelServices> = async ({ query }, context) => {
  const { caller, ledger, now } = context;
  const settled = await ledger.transaction((tx) => findSettled(tx, caller.profileId), { readOnly: true });
  const recent = await readSpends(new Date(+now - limits.models.spendDays * dayMs), now, context);
  const { currency } = recent;
  const refusal = currentRefusal(settled, now);
  const meta = { currency, fitted_at: settled?.requestedAt.toISOString() ?? null, judged: 0, left_alone: 0 };
  const none = (reason: AdviceReason) =>
    answer(200, { data: [], meta: { ...meta, model: 'data_driven' as const, reason } });
  if (refusal) return none(refusal);
  const fit = settled as Served;
  const tests = await readTests(context);
  const calibration = await calibrateBy(tests, fit, { from: fit.creditedFrom, until: fit.creditedUntil }, context);
  const judged = await judge(calibration, recent);
  if (judged.length === 0) return none('nothing_spent');
  const breakEven = 100 / query.margin_pct;
  const sure = judged.flatMap((one) => {
    const { action, chance } = advise({ value: one.caused, error: one.error }, one.spend, breakEven, query.sureness);
    if (action === 'leave') return [];
    const step = query.max_step_pct / 100;
    const sign = action === 'raise' ? 1 : -1;
    const netADay = sign * step * one.perDay * (one.caused / one.spend / breakEven - 1);
    return { ...one, action, chance, netADay };
  });
  const shown = sure.toSorted((a, b) => b.netADay - a.netADay || (a.id < b.id ? -1 : 1)).slice(0, limits.advice.rows);
  const ids = shown.map(({ id }) => id);
  const { lineages, budgets } = await ledger.transaction(
    async (tx) => ({
      lineages: await findLineages(tx, caller.profileId, ids),
      budgets: await listAdSetBudgets(tx, caller.profileId, ids, limits.advice.adSets),
    }),
    { readOnly: true },
  );
  const money = (minorUnits: number) => credit(BigInt(Math.round(minorUnits)), currency);
  return answer(200, {
    data: shown.map(({ id, action, chance, spend, caused, error, netADay, tests: of }) => {
      const { externalId = '', name = '' } = lineages.get(id)?.campaign ?? {};
      return {
        entity_id: id,
        external_id: externalId,
        name: nameOf(name, externalId) ?? null,
        action,
        chance: Math.round(chance * 1_000) / 1_000,
        step_pct: query.max_step_pct,
        spend: money(spend),
        caused: money(caused),
        caused_low: money(caused - intervalWidth * error),
        caused_high: money(caused + intervalWidth * error),
        break_even: money(spend * breakEven),
        net_a_day: money(netADay),
        tests: [...of],
        requests: budgets
          .filter(({ campaignId }) => campaignId === id)
          .flatMap((budget) => requestOf(budget, action, query.max_step_pct)),
      };
    }),
    meta: {
      ...meta,
      model: calibration.tests.length > 0 ? ('calibrated' as const) : ('data_driven' as const),
      judged: judged.length,
      left_alone: judged.length - sure.length,
      reason: sure.length === 0 ? ('nothing_sure' as const) : null,
    },
  });
};

/** Campaigns with spend, also recently, including their separately tested units. */
async function judge({ units, tests }: Calibration, recent: Spends): Promise<JudgedCampaign[]> {
  const campaigns = new Map<string, Omit<JudgedCampaign, 'perDay' | 'tests'>>();
  for (const { campaignId: id, spend, caused } of units.values()) {
    const before = campaigns.get(id) ?? { id, spend: 0, caused: 0, error: 0 };
    campaigns.set(id, {
      id,
      spend: before.spend + spend,
      caused: before.caused + Math.max(0, caused.value),
      error: Math.hypot(before.error, caused.error),
    });
  }
  const judged: JudgedCampaign[] = [];
  for (const one of campaigns.values()) {
    const perDay = (await recent.of(one.id, 'campaign')) / limits.models.spendDays;
    const isOf = ({ levels }: ApplicableTest) =>
      [...units.values()].some((unit) => unit.campaignId === one.id && (levels.has(unit.id) || levels.has(one.id)));
    if (one.spend > 0 && perDay > 0) judged.push({ ...one, perDay, tests: tests.filter(isOf).map(({ id }) => id) });
  }
  return judged;
}

/** Requests for the budget route, within its bounds. */
function requestOf({ externalId, name, currency, dailyBudget }: AdSetBudget, action: AdviceAction, stepPct: number) {
  const from = Number(toMinorUnits(dailyBudget, currency));
  const change = Math.floor((from * stepPct) / 100);
  const wanted = action === 'raise' ? from + change : from - change;
  if (change === 0 || wanted < limits.budgetStep.floorMinorUnits) return [];
  return {
    method: 'POST' as const,
    path: `/api/v1/adsets/${encodeURIComponent(externalId)}/budget`,
    body: { daily_budget_minor: wanted, dry_run: true as const },
    ad_set_name: name,
    from_minor: from,
    currency,
  };
}
