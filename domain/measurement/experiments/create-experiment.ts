import { randomInt } from 'node:crypto';
import type { Routes } from '@tributary/contract';
import { findLineages } from '@tributary/domain/advertising/campaigns';
import { answer, type Handles, refuse } from '@tributary/operations';
import { daysOf } from '@tributary/rules';
import { limits } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { dayAfter, toExperimentResponse } from './experiment-response.ts';
import { planRegions } from './plan.ts';
import { addExperiment, countExperiments } from './store.ts';

export const createExperiment: Handles<Routes['createExperiment']> = async ({ body }, { caller, effect, now }) => {
  const { profileId } = caller;
  const { name, date_from: startsOn } = body;
  const entityIds = [...new Set(body.entity_ids)];
  if (body.kind === 'external' && (body.date_to < startsOn || body.low_pct > body.high_pct))
    refuse('validation_error', 'A test ends after it began, and its interval from low to high.', {
      fields: { field: body.date_to < startsOn ? 'date_to' : 'low_pct' },
    });
  return effect(async (tx) => {
    const lineages = await findLineages(tx, profileId, entityIds);
    if (entityIds.some((id) => !lineages.has(id))) refuse('not_found', 'There is no such campaign, ad set or ad.');
    if ((await countExperiments(tx, profileId)) >= limits.experiments.max)
      refuse('invalid_state', `A profile has at most ${limits.experiments.max} tests.`, {
        fields: { reason: 'limit' },
      });
    const shared = { id: uuid(), name, kind: body.kind, entityIds, startsOn, createdAt: now };
    if (body.kind === 'external') {
      const days = daysOf(startsOn, body.date_to).length;
      const { lift_pct, low_pct, high_pct, source } = body;
      const added = await addExperiment(tx, profileId, {
        ...shared,
        state: 'ended',
        endsOn: body.date_to,
        days,
        coolDownDays: 0,
        pairs: null,
        heldOut: null,
        seed: null,
        power: null,
        readout: { lift_pct, low_pct, high_pct, chance: null, source },
        dailySpend: body.spend / days,
        endedAt: now,
      });
      return answer(201, { data: toExperimentResponse(added) });
    }
    const { days, cool_down_days: coolDownDays, expected_effect_pct: expectedPct, exclude_regions: excluded } = body;
    const seed = randomInt(2 ** 31);
    const plan = await planRegions(tx, profileId, { days, coolDownDays, expectedPct, excluded, seed, now });
    const added = await addExperiment(tx, profileId, {
      ...shared,
      ...plan,
      state: 'draft',
      endsOn: dayAfter(startsOn, days - 1),
      days,
      coolDownDays,
      seed,
      readout: null,
      dailySpend: null,
      endedAt: null,
    });
    return answer(201, { data: toExperimentResponse(added) });
  });
};
