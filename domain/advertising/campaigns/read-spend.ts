import type { JudgedSpendRow, SpendFault } from '@tributary/contract';
import { entityIdOf, isCurrency, parseAmount } from '@tributary/rules';
import { type EntityLevel, entityLevels, hourMs } from '@tributary/vocabulary';

/** The figures of an entity on a day. Null: not reported. Amounts are decimals as reported. */
export interface Figures {
  readonly currency: string;
  readonly spend: string;
  readonly impressions: number;
  readonly clicks: number;
  readonly reach: number | null;
  readonly conversions: string | null;
  readonly conversion_value: string | null;
  readonly video_views_3s: number | null;
  readonly video_completions: number | null;
  readonly messaging_conversations_started: number | null;
  readonly messaging_first_replies: number | null;
}

/** The reported fields of a campaign, ad set or ad. Fields that were not reported are absent. */
export interface ReportedEntity {
  readonly id: string;
  readonly platform: string;
  readonly level: EntityLevel;
  readonly externalId: string;
  readonly parentId?: string | undefined;
  readonly parentLevel?: EntityLevel | undefined;
  readonly name?: string | undefined;
  readonly status?: string | undefined;
  readonly objective?: string | undefined;
  readonly format?: string | undefined;
  readonly currency?: string | undefined;
  readonly dailyBudget?: string | undefined;
  readonly learningStage?: string | undefined;
  /** The connection that reported it. */
  readonly reporter?: Reporter | undefined;
}

/** A connection that reports ads. */
export interface Reporter {
  readonly connectionId: string;
  /** The platform's other active connections: an entity stays with the one that reported it first. */
  readonly others: ReadonlySet<string>;
}

/** A valid row: its entity, the parents that it names, and the day's figures. */
export interface SpendRow {
  readonly day: string;
  readonly entity: ReportedEntity;
  readonly parents: readonly ReportedEntity[];
  readonly figures: Figures;
}

/** A parsed row: its content or its error, and its line in a file. */
export type ParsedRow = { readonly line: number | undefined } & (
  | { readonly spend: SpendRow }
  | { readonly fault: SpendFault }
);

export function parseJudgedRow(profileId: string, judged: JudgedSpendRow, now: Date): ParsedRow {
  const { line } = judged;
  if ('fault' in judged) return { line, fault: judged.fault };
  const parsed = parseSpendRow(profileId, judged.row, now);
  return 'message' in parsed ? { line, fault: parsed } : { line, spend: parsed };
}

export const validRows = (rows: readonly ParsedRow[]): SpendRow[] =>
  rows.flatMap((parsed) => ('spend' in parsed ? [parsed.spend] : []));

type Row = Extract<JudgedSpendRow, { row: unknown }>['row'];

/** Limits the years, because each year is a partition in ClickHouse. */
const firstDay = '2000-01-01';

/** Parses a row, or returns its first error. */
function parseSpendRow(profileId: string, row: Row, now: Date): SpendRow | SpendFault {
  if (row.date < firstDay) return { field: 'date', message: `must not be before ${firstDay}` };
  if (row.date > lastDay(now)) return { field: 'date', message: 'lies in the future' };
  if (!isCurrency(row.currency)) return { field: 'currency', message: 'is not a currency of ISO 4217' };
  const amounts = readAmounts(row);
  if ('message' in amounts) return amounts;
  const { daily_budget: dailyBudget, ...reported } = amounts;
  const entities = readEntities(profileId, row, dailyBudget ?? undefined);
  if ('message' in entities) return entities;
  const figures = {
    currency: row.currency,
    ...reported,
    impressions: toCount(row.impressions) ?? 0,
    clicks: toCount(row.clicks) ?? 0,
    reach: toCount(row.reach),
    video_views_3s: toCount(row.video_views_3s),
    video_completions: toCount(row.video_completions),
    messaging_conversations_started: toCount(row.messaging_conversations_started),
    messaging_first_replies: toCount(row.messaging_first_replies),
  };
  return { day: row.date, ...entities, figures };
}

/** Allows the current date of any time zone. */
const lastDay = (now: Date) => new Date(now.getTime() + 14 * hourMs).toISOString().slice(0, 10);

const toCount = (value: number | string | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

const amountErrors = {
  not_a_decimal: 'must be a number, or one written as text',
  too_many_digits: 'has more digits than can be kept exactly',
} as const;

type Amounts = Pick<Figures, 'spend' | 'conversions' | 'conversion_value'> & { readonly daily_budget: string | null };

function readAmounts(row: Row): Amounts | SpendFault {
  const amounts: Record<string, string | null> = {};
  for (const field of ['spend', 'conversions', 'conversion_value', 'daily_budget'] as const) {
    const value = row[field] ?? null;
    const parsed = value === null ? null : parseAmount(value);
    if (parsed?.ok === false) return { field, message: amountErrors[parsed.reason] };
    if (parsed?.amount.startsWith('-')) return { field, message: 'must not be negative' };
    amounts[field] = parsed?.amount ?? null;
  }
  return amounts as unknown as Amounts;
}

/**
 * Reads the entity and its parents. A row may repeat its own id in the column of its level, but not name a level below
 * it.
 */
function readEntities(
  profileId: string,
  row: Row,
  dailyBudget: string | undefined,
): Pick<SpendRow, 'entity' | 'parents'> | SpendFault {
  const { platform, level, external_id: externalId } = row;
  const columns = [
    { level: 'campaign', field: 'campaign_external_id', id: row.campaign_external_id, name: row.campaign_name },
    { level: 'ad_set', field: 'ad_set_external_id', id: row.ad_set_external_id, name: row.ad_set_name },
  ] as const;
  const parents: ReportedEntity[] = [];
  for (const { level: above, field, id, name } of columns) {
    if (!id || (above === level && id === externalId)) continue;
    if (entityLevels.indexOf(above) >= entityLevels.indexOf(level)) {
      return { field, message: above === level ? 'differs from external_id' : `has no place in a row of a ${level}` };
    }
    const parent = { id: entityIdOf(profileId, platform, above, id), platform, level: above, externalId: id };
    parents.push({ ...parent, ...toParent(parents), name: name || undefined, currency: row.currency });
  }
  const entity = {
    id: entityIdOf(profileId, platform, level, externalId),
    platform,
    level,
    externalId,
    ...toParent(parents),
    name: row.name || undefined,
    status: row.status || undefined,
    objective: row.objective || undefined,
    format: row.format || undefined,
    currency: row.currency,
    dailyBudget,
    learningStage: row.learning_stage_status ?? undefined,
  };
  return { entity, parents };
}

const toParent = (parents: readonly ReportedEntity[]) => ({
  parentId: parents.at(-1)?.id,
  parentLevel: parents.at(-1)?.level,
});
