import { LearningStage, type Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { readAccountNames } from './accounts.ts';
import { levelRow } from './campaign-row.ts';
import { findEntity, refuseUnknown } from './find-entity.ts';
import { readDeliveryPeriod } from './period.ts';
import { type EntityRow, readNamedEntities } from './read-entities.ts';
import type { ReportServices } from './services.ts';

export const readAd: Handles<Routes['readAd'], ReportServices> = async ({ params, query }, context) => {
  const { level, model, date_from, date_to } = query;
  const only = (await findEntity(params.id, level, context)) ?? refuseUnknown(level);
  const delivery = await readDeliveryPeriod(query, context);
  const { currency } = delivery.period;
  const [row] = await readNamedEntities(delivery, { level, model, limit: 1, only }, context);
  if (!row) throw new Error('A report of one entity has its row, whatever it did.');
  return answer(200, {
    data: {
      ...levelRow(row, currency, level, await readAccountNames([row], context)),
      ...(level === 'ad_set' ? adSetFields(row) : { learning_stage_status: null, campaign_objective: null }),
    },
    meta: { date_from, date_to, model, ...delivery.period.about },
  });
};

/** Fields of an ad set as of its last copy to ClickHouse. A stage that the contract does not list is returned as null. */
const adSetFields = (row: EntityRow) => ({
  learning_stage_status: LearningStage.safeParse(row.learning_stage_status).data ?? null,
  campaign_objective: row.campaign_objective || null,
});
