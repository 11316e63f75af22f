import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { spendOf } from './figures.ts';
import { findExistingIds } from './find-entity.ts';
import { daysOfRange, readDeliveryPeriod } from './period.ts';
import type { ReportServices } from './services.ts';

export const readCampaignTrend: Handles<Routes['readCampaignTrend'], ReportServices> = async ({ query }, context) => {
  const { level, date_from, date_to } = query;
  const { period, parameters } = await readDeliveryPeriod(query, context);
  const { currency } = period;
  const requested = [...new Set(query.entity_ids.map((id) => id.toLowerCase()))];
  const existing = await findExistingIds(requested, level, context);
  const entityIds = requested.filter((id) => existing.has(id));
  const rows =
    entityIds.length === 0
      ? []
      : await context.clickhouse.query(
          'delivery_list_days',
          { ...parameters, level, entity_ids: entityIds },
          { signal: context.signal },
        );
  const delivered = new Map(rows.map((row) => [`${row.entity_id} ${row.day}`, row]));
  const days = daysOfRange(query);
  const data = entityIds.flatMap((entityId) =>
    days.map((date) => {
      const row = delivered.get(`${entityId} ${date}`);
      return {
        entity_id: entityId,
        date,
        spend: row ? spendOf(row, currency) : 0,
        impressions: Number(row?.impressions ?? 0),
        clicks: Number(row?.clicks ?? 0),
      };
    }),
  );
  return answer(200, { data, meta: { date_from, date_to, ...period.about } });
};
