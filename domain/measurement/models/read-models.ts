import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { publishedErrors } from '@tributary/rules';
import { estimatingModelNames, estimatingModels } from '@tributary/vocabulary';
import { readCalibration, type Served } from './calibration.ts';
import { spanOf } from './fit-models.job.ts';
import { currentRefusal, toFitResponse } from './fit-response.ts';
import type { ModelServices } from './services.ts';
import { findLatest, findServed, findSettled } from './store.ts';

export const readModels: Handles<Routes['readModels'], ModelServices> = async (_input, context) => {
  const { caller, ledger, now, clickhouse, signal } = context;
  const { profileId } = caller;
  const { latest, served, settled } = await ledger.transaction(
    async (tx) => ({
      latest: await findLatest(tx, profileId),
      served: await findServed(tx, profileId),
      settled: await findSettled(tx, profileId),
    }),
    { readOnly: true },
  );
  const refusal = currentRefusal(settled, now);
  const calibrated = refusal ?? ((await isCalibrated(settled as Served)) ? null : 'no_test');
  const { from, until } = spanOf(now);
  const [change] = await clickhouse.query('model_read_change', { profile_id: profileId, from, until }, { signal });
  return answer(200, {
    data: {
      models: estimatingModelNames.map((model) => ({
        model,
        description: estimatingModels[model].description,
        refusal: model === 'calibrated' ? calibrated : refusal,
      })),
      latest_fit: latest ? toFitResponse(latest) : null,
      served_fit: served && refusal === null ? toFitResponse(served) : null,
      changed_at: change ? change.changed_at : null,
      errors: { ...publishedErrors, rows: [...publishedErrors.rows] },
    },
  });

  async function isCalibrated(fit: Served): Promise<boolean> {
    return (await readCalibration(fit, { from: fit.creditedFrom, until: fit.creditedUntil }, context)) !== undefined;
  }
};
