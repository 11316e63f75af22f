import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { campaignRow, levelRow } from './campaign-row.ts';
import { isId, isMinorUnits, readCursor, writeCursor } from './cursor.ts';
import { readDeliveryPeriod } from './period.ts';
import { readEntities } from './read-entities.ts';
import type { ReportServices } from './services.ts';

export const listCampaigns: Handles<Routes['listCampaigns'], ReportServices> = async ({ query }, context) => {
  const { level, model, limit, cursor, date_from, date_to } = query;
  const place = cursor === undefined ? {} : { place: readPlace(cursor) };
  const delivery = await readDeliveryPeriod(query, context);
  const { currency } = delivery.period;
  const asked = { level: level ?? 'campaign', model, limit: limit + 1, ...place };
  const rows = await readEntities(delivery, asked, context);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return answer(200, {
    data: shown.map((row) => (level ? levelRow(row, currency, level) : campaignRow(row, currency))),
    pagination: { has_next: rows.length > limit, cursor: last ? writeCursor(last.value, last.entity_id) : null },
    meta: { date_from, date_to, model, ...delivery.period.about },
  });
};

function readPlace(cursor: string) {
  const [below_value, after_id] = readCursor(cursor, [isMinorUnits, isId]);
  return { below_value, after_id };
}
