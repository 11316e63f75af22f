import type { Routes } from '@tributary/contract';
import { type ReportServices, readDeliveryPeriod, readEntities, spendOf } from '@tributary/domain/measurement/reports';
import { findDays } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles } from '@tributary/operations';
import { readRegions } from '@tributary/rules';
import { dayMs, entityLevels } from '@tributary/vocabulary';
import { dayAfter, toExperimentResponse } from './experiment-response.ts';
import { sumRegions, timesBefore } from './plan.ts';
import { lockExperiment, refuseExperiment } from './refuse-experiment.ts';
import { type Experiment, saveState } from './store.ts';

type Context = Parameters<Handles<Routes['stopExperiment'], ReportServices>>[1];

const percent = (part: number) => Math.round(part * 10_000) / 100;

export const stopExperiment: Handles<Routes['stopExperiment'], ReportServices> = async ({ params }, context) => {
  const { caller, effect, ledger, now } = context;
  const { profileId } = caller;
  const running = await ledger.transaction((tx) => lockExperiment(tx, profileId, params.id, 'running'));
  const dailySpend = await readDailySpend(running, context);
  return effect(async (tx) => {
    const found = await lockExperiment(tx, profileId, params.id, 'running');
    const lastDay = dayAfter(found.endsOn, found.coolDownDays);
    const { from, until } = await findDays(tx, profileId, found.startsOn, lastDay);
    if (now < until) return refuseExperiment('not_over');
    const before = new Date(+from - timesBefore * (found.days + found.coolDownDays) * dayMs);
    const sums = await sumRegions(tx, profileId, { before, start: from, end: until });
    const { lift, low, high, chance } = readRegions(sums, found.pairs ?? [], new Set(found.heldOut), found.seed ?? 0);
    if (![lift, low, high].every(Number.isFinite)) return refuseExperiment('nothing_bought');
    const ended = await saveState(tx, profileId, found.id, {
      state: 'ended',
      endedAt: now,
      dailySpend,
      readout: { lift_pct: percent(lift), low_pct: percent(low), high_pct: percent(high), chance, source: null },
    });
    return answer(200, { data: toExperimentResponse(ended) });
  });
};

/** Average daily spend of the tested entities during the test, as reported by the platforms. */
async function readDailySpend({ startsOn, endsOn, days, entityIds }: Experiment, context: Context): Promise<number> {
  const period = await readDeliveryPeriod({ date_from: startsOn, date_to: endsOn }, context);
  let spend = 0;
  for (const only of entityIds) {
    for (const level of entityLevels) {
      const [row] = await readEntities(period, { level, model: 'last_touch', limit: 1, only }, context);
      spend += (row && spendOf(row, period.period.currency)) ?? 0;
    }
  }
  return spend / days;
}
