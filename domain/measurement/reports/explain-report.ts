import type { Input, Routes } from '@tributary/contract';
import { answer, type ProfileContext, refuse } from '@tributary/operations';
import { nilUuid, type ScoreField, scoreFields } from '@tributary/vocabulary';
import { readAccountFilter } from './accounts.ts';
import { figureOf, type ReportField } from './explained-figure.ts';
import { readEntityId } from './find-entity.ts';
import { readDeliveryPeriod } from './period.ts';
import { readFigureRows } from './read-figure-rows.ts';
import type { ReportServices } from './services.ts';
import { type FigureQuery, sumFigure } from './sum-figure.ts';

type Query = Input<Routes['explain']>['query'];

/** Explains a figure of a campaign report, a platform report or the overview. */
export async function explainReport(query: Query, context: ProfileContext & ReportServices) {
  const { level, model, date_from, date_to } = query;
  const field = reportField(query.field);
  const { owner, isEverything, entityId, accounts } = await readFigureOwner(query, field, context);
  const delivery = await readDeliveryPeriod(query, context);
  const figureQuery: FigureQuery = {
    delivery,
    level,
    // A channel is credited by last touch, so that every conversion counts once.
    model: owner?.owners === 'channels' ? 'last_touch' : model,
    entityId,
    ...(owner && { owner }),
    accounts,
    isEverything,
    conversionType: query.type ?? '',
  };
  const { period } = delivery;
  return answer(200, {
    ...(await explainFigure(field, figureQuery, query, context)),
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
}

/** A figure's value with one page of the rows behind it. */
export async function explainFigure(
  field: ReportField,
  figureQuery: FigureQuery,
  { limit, cursor }: Pick<Query, 'limit' | 'cursor'>,
  context: ProfileContext & ReportServices,
) {
  const { unit, formula } = figureOf(field);
  const { value, parts, rest } = await sumFigure(field, figureQuery, context);
  const { rows, pagination } = await readFigureRows(field, figureQuery, { limit, cursor }, context);
  return { data: { field, value, unit, formula, parts, ...rows, ...noScore, ...rest }, pagination };
}

/** For figures that are not scores. */
const noScore = { layers: [], cohort: [], working: null };

const isScore = (field: Query['field']): field is ScoreField => (scoreFields as readonly string[]).includes(field);

const reportField = (field: Query['field']): ReportField =>
  isScore(field) ? refuseParameter('field', `"${field}" is a figure of the report "top_performers".`) : field;

type FigureOwner = Pick<FigureQuery, 'owner' | 'isEverything' | 'entityId' | 'accounts'>;

/** Resolves whose figure it is: an entity's, a platform's, a channel's, an account's, or the total. */
async function readFigureOwner(
  { entity_id, platform, channel, connection_id, level }: Query,
  field: ReportField,
  context: ProfileContext & ReportServices,
): Promise<FigureOwner> {
  const named = { entity_id, platform, channel, connection_id };
  const names = Object.entries(named).filter(([, name]) => name !== undefined);
  if (names.length > 1)
    refuseParameter(
      names[1]?.[0] ?? '',
      'A figure is that of an entity, a platform, a channel or an account: name one of them.',
    );
  if (field.startsWith('unassigned_') && platform === undefined)
    refuseParameter('platform', 'What named no ad is told by platform: name one with "platform".');
  if (platform !== undefined)
    return { entityId: nilUuid, isEverything: false, owner: { owners: 'platforms', name: platform } };
  if (channel !== undefined) {
    if (!isOfConversions(field))
      refuseParameter('channel', 'Channels are told of what was earned, not of what it cost.');
    const owner = { owners: 'channels', name: channel === noTouch ? '' : channel } as const;
    return { entityId: nilUuid, isEverything: false, owner };
  }
  const accounts = await readAccountFilter(connection_id, context);
  if (accounts)
    return { entityId: nilUuid, isEverything: false, owner: { owners: 'accounts', name: 'account' }, accounts };
  const entityId = await readEntityId(entity_id, level, context);
  return { entityId: entityId ?? nilUuid, isEverything: entityId === undefined };
}

/** The overview's name for conversions without a touch. */
const noTouch = 'no_touch';

const isOfConversions = (field: ReportField): boolean => figureOf(field).rows === 'conversions';

const refuseParameter = (field: string, message: string): never =>
  refuse('invalid_parameter', message, { fields: { field } });
