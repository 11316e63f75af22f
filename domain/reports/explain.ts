import type { ExplainedField, Routes } from '@tributary/contract';
import { answer, type Handles, type ProfileContext, refuse } from '@tributary/operations';
import { nilUuid, type SummedField } from '@tributary/vocabulary';
import { readConversions, type Wanted } from './conversion-page.ts';
import { explainConversions } from './explain-conversions.ts';
import { readCountedDelivery } from './explain-delivery.ts';
import { conversionsCounted, explainedFigures, isRatio, ratios } from './explained-figure.ts';
import { costOf, ratio } from './figures.ts';
import { findEntity } from './find-entity.ts';
import { type DeliveryPeriod, readDeliveryPeriod } from './period.ts';
import type { ReportServices } from './services.ts';
import { type Asked, plainDecimal, sumFigure } from './sum-figure.ts';

const noPage = { has_next: false, cursor: null };

export const explain: Handles<Routes['explain'], ReportServices> = async ({ query }, context) => {
  const { field, level, model, date_from, date_to } = query;
  const entityId = await readEntityId(query.entity_id, level, context);
  const delivery = await readDeliveryPeriod(query, context);
  const { period } = delivery;
  const asked: Asked = {
    delivery,
    level,
    model,
    entityId: entityId ?? nilUuid,
    isEverything: entityId === undefined,
    conversionType: query.type ?? '',
  };
  const { unit, formula } = explainedFigures[field];
  const { summed, parts } = isRatio(field)
    ? await sumRatio(ratios[field], asked, context)
    : { summed: await sumFigure(field, asked, context), parts: [] };
  const page = await readRows(field, asked, query, context);
  return answer(200, {
    data: { field, value: summed.value, unit, formula, parts, ...page.rows, ...summed.rest },
    pagination: page.pagination,
    meta: {
      date_from,
      date_to,
      model,
      ...period.about,
      level,
      time_zone: period.timeZone,
      from: period.from.toISOString(),
      until: period.until.toISOString(),
    },
  });
};

/** Undefined: everything. */
export async function readEntityId(
  text: string | undefined,
  level: Asked['level'],
  context: ProfileContext & ReportServices,
): Promise<string | undefined> {
  if (text === undefined) return undefined;
  if (text === 'unattributed') return nilUuid;
  return (await findEntity(text, level, context)) ?? refuse('not_found', 'There is no such campaign, ad set or ad.');
}

/** A ratio has no rows of its own: whoever asks for its parts sees theirs. */
async function sumRatio(
  [dividend, divisor]: readonly [SummedField, SummedField],
  asked: Asked,
  context: ProfileContext & ReportServices,
) {
  const [top, bottom] = await Promise.all([sumFigure(dividend, asked, context), sumFigure(divisor, asked, context)]);
  const [over, under] = [top.value, bottom.value].map((value) => (value === null ? null : Number(value)));
  // Money by a count is money; money by money is a number.
  const value =
    divisor === 'spend'
      ? ratio(over ?? null, under ?? null)
      : costOf(over ?? null, under ?? 0, asked.delivery.period.currency);
  return {
    summed: {
      value: value === null ? null : plainDecimal(value),
      rest: { row_count: 0, contributes: '0', exclusions: [...top.rest.exclusions, ...bottom.rest.exclusions] },
    },
    parts: [
      { field: dividend, value: top.value },
      { field: divisor, value: bottom.value },
    ],
  };
}

type Query = Pick<Parameters<typeof explain>[0]['query'], 'limit' | 'cursor'>;

async function readRows(
  field: ExplainedField,
  asked: Asked,
  { limit, cursor }: Query,
  context: ProfileContext & ReportServices,
) {
  switch (explainedFigures[field].rows) {
    case 'none':
      return { rows: { conversions: [], delivery: [] }, pagination: noPage };
    case 'delivery': {
      const { rows, pagination } = await readCountedDelivery(field, asked, { limit, cursor }, context);
      return { rows: { conversions: [], delivery: rows }, pagination };
    }
    case 'conversions': {
      const wanted = wantedOf(field, asked, asked.delivery);
      const { conversions, pagination } = await readConversions(wanted, { limit, cursor }, context);
      const explained = await explainConversions(conversions, field, wanted.period, context);
      return { rows: { conversions: explained, delivery: [] }, pagination };
    }
  }
}

const wantedOf = (field: ExplainedField, asked: Asked, { period }: DeliveryPeriod): Wanted => ({
  ...asked,
  period,
  ...conversionsCounted(field, asked.entityId),
});
