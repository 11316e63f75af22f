import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { nilUuid } from '@tributary/vocabulary';
import { readConversions } from './conversion-page.ts';
import { findEntity, refuseUnknown } from './find-entity.ts';
import { readPeriod } from './period.ts';
import type { ReportServices } from './services.ts';

export const listCampaignConversions: Handles<Routes['listCampaignConversions'], ReportServices> = async (
  { params, query },
  context,
) => {
  const { level, model, limit, cursor, date_from, date_to } = query;
  const entityId =
    params.id === 'unattributed' ? nilUuid : ((await findEntity(params.id, level, context)) ?? refuseUnknown(level));
  const period = await readPeriod(query, context);
  // A conversion that is partly credited to an entity does not count as unattributed.
  const all = {
    isEverything: false,
    isWhole: entityId === nilUuid,
    isCash: false,
    isNewPurchase: false,
    isPipeline: false,
    conversionType: '',
  };
  const page = await readConversions({ period, level, model, entityId, ...all }, { limit, cursor }, context);
  return answer(200, {
    data: page.conversions.map(({ shown }) => shown),
    pagination: page.pagination,
    meta: { date_from, date_to, model, ...period.about },
  });
};
