import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { publishedErrors } from '@tributary/rules';
import { fittedModelNames, fittedModels } from '@tributary/vocabulary';
import { refusalNow, showFit } from './show-fit.ts';
import { findLatest, findServed, findSettled } from './store.ts';

export const readModels: Handles<Routes['readModels']> = async (_input, { caller, ledger, now }) => {
  const { profileId } = caller;
  const { latest, served, settled } = await ledger.transaction(
    async (tx) => ({
      latest: await findLatest(tx, profileId),
      served: await findServed(tx, profileId),
      settled: await findSettled(tx, profileId),
    }),
    { readOnly: true },
  );
  const refusal = refusalNow(settled, now);
  return answer(200, {
    data: {
      models: fittedModelNames.map((model) => ({ model, description: fittedModels[model].description, refusal })),
      latest_fit: latest ? showFit(latest) : null,
      served_fit: served && refusal === null ? showFit(served) : null,
      errors: { ...publishedErrors, rows: [...publishedErrors.rows] },
    },
  });
};
