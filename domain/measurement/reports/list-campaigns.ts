import type { AnswerOf, EntityLevel, Input, Routes } from '@tributary/contract';
import { answer, refuse } from '@tributary/operations';
import { type AccountNames, readAccountFilter, readAccountNames } from './accounts.ts';
import { campaignRow, levelRow } from './campaign-row.ts';
import { readClosedValues, sinceClosed } from './closed-month.ts';
import { isId, isMinorUnits, readCursor, writeCursor } from './cursor.ts';
import { findEntity } from './find-entity.ts';
import { readDeliveryPeriod } from './period.ts';
import { readNamedEntities } from './read-entities.ts';
import type { ReportContext } from './services.ts';

type Campaigns = Routes['listCampaigns'];
type Query = Input<Campaigns>['query'];

export async function listCampaigns({ query }: Input<Campaigns>, context: ReportContext): Promise<AnswerOf<Campaigns>> {
  const { model, limit, cursor, date_from, date_to } = query;
  const position = cursor === undefined ? {} : { position: parseCursor(cursor) };
  const { level, ...parent } = await readParent(query, context);
  const accounts = await readAccountFilter(query.connection_id, context);
  const delivery = await readDeliveryPeriod(query, context);
  const { currency } = delivery.period;
  const entityQuery = { level: level ?? 'campaign', model, limit: limit + 1, ...parent, ...position, accounts };
  const rows = await readNamedEntities(delivery, entityQuery, context);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const closed = await readClosedValues(
    { ...query, level: entityQuery.level },
    shown.map(({ entity_id }) => entity_id),
    context,
  );
  const names: AccountNames = level ? await readAccountNames(shown, context) : new Map();
  const show = (row: (typeof rows)[number]) => {
    const figures = level ? levelRow(row, currency, level, names) : campaignRow(row, currency);
    return closed ? { ...figures, ...sinceClosed(closed.valueOf(row.entity_id), figures.outcome_value) } : figures;
  };
  return answer(200, {
    data: shown.map(show),
    pagination: { has_next: rows.length > limit, cursor: last ? writeCursor(last.value, last.entity_id) : null },
    meta: { date_from, date_to, model, ...delivery.period.about, ...closed?.closed },
  });
}

/** Resolves the parent and the level of the requested rows; the level defaults to the one below the parent. */
async function readParent(
  { parent_id, level }: Query,
  context: ReportContext,
): Promise<{ level?: EntityLevel | undefined; parent?: string }> {
  if (parent_id === undefined) return { level };
  if (level === 'campaign')
    refuse('invalid_parameter', 'A campaign has no parent: "parent_id" is for ad sets and ads.', {
      fields: { field: 'parent_id' },
    });
  const campaign = await findEntity(parent_id, 'campaign', context);
  if (campaign) return { parent: campaign, level: level ?? 'ad_set' };
  const adSet = level === 'ad_set' ? undefined : await findEntity(parent_id, 'ad_set', context);
  return { parent: adSet ?? refuse('not_found', 'There is no such campaign or ad set.'), level: 'ad' };
}

function parseCursor(cursor: string) {
  const [below_value, after_id] = readCursor(cursor, [isMinorUnits, isId]);
  return { below_value, after_id };
}
