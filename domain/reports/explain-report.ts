import type { Input, Routes } from '@tributary/contract';
import { answer, type ProfileContext, refuse } from '@tributary/operations';
import { nilUuid, type ScoreField, scoreFields } from '@tributary/vocabulary';
import { readAccountFilter } from './accounts.ts';
import { figureOf, type ReportField } from './explained-figure.ts';
import { readEntityId } from './find-entity.ts';
import { readDeliveryPeriod } from './period.ts';
import { readFigureRows } from './read-figure-rows.ts';
import type { ReportServices } from './services.ts';
import { type Asked, sumFigure } from './sum-figure.ts';

type Query = Input<Routes['explain']>['query'];

/** A figure of a report of campaigns, of platforms or of everything. */
export async function explainReport(query: Query, context: ProfileContext & ReportServices) {
  const { level, model, date_from, date_to } = query;
  const field = reportField(query.field);
  const { owner, isEverything, entityId, accounts } = await readWhose(query, field, context);
  const delivery = await readDeliveryPeriod(query, context);
  const asked: Asked = {
    delivery,
    level,
    // Of a channel every conversion counts once, where its last touch was.
    model: owner?.owners === 'channels' ? 'last_touch' : model,
    entityId,
    ...(owner && { owner }),
    accounts,
    isEverything,
    conversionType: query.type ?? '',
  };
  const { period } = delivery;
  return answer(200, {
    ...(await explainFigure(field, asked, query, context)),
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

/** What a figure is, and a page of what it is made of. */
export async function explainFigure(
  field: ReportField,
  asked: Asked,
  { limit, cursor }: Pick<Query, 'limit' | 'cursor'>,
  context: ProfileContext & ReportServices,
) {
  const { unit, formula } = figureOf(field);
  const { value, parts, rest } = await sumFigure(field, asked, context);
  const { rows, pagination } = await readFigureRows(field, asked, { limit, cursor }, context);
  return { data: { field, value, unit, formula, parts, ...rows, ...noScore, ...rest }, pagination };
}

/** Of figures that are no scores. */
const noScore = { layers: [], cohort: [], working: null };

const isScore = (field: Query['field']): field is ScoreField => (scoreFields as readonly string[]).includes(field);

const reportField = (field: Query['field']): ReportField =>
  isScore(field) ? refuseParameter('field', `"${field}" is a figure of the report "top_performers".`) : field;

type Whose = Pick<Asked, 'owner' | 'isEverything' | 'entityId' | 'accounts'>;

/** An entity's, a platform's, a channel's, an account's, or everybody's. */
async function readWhose(
  { entity_id, platform, channel, connection_id, level }: Query,
  field: ReportField,
  context: ProfileContext & ReportServices,
): Promise<Whose> {
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

/** The channel of what came by none, as the overview calls it. */
const noTouch = 'no_touch';

const isOfConversions = (field: ReportField): boolean => figureOf(field).rows === 'conversions';

const refuseParameter = (field: string, message: string): never =>
  refuse('invalid_parameter', message, { fields: { field } });
