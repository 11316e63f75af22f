import type { JudgedSpendRow, SpendFault } from '@tributary/contract';
import { entityIdOf, isCurrency, parseAmount } from '@tributary/rules';
import { type EntityLevel, entityLevels, hourMs } from '@tributary/vocabulary';

/** What an entity did on a day. Null: the platform said nothing of it. Amounts are decimals as they were said. */
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

/** What is said of a campaign, ad set or ad. What is not said is left out. */
export interface SaidEntity {
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
  /** The connection that reports it. */
  readonly reporter?: Reporter | undefined;
}

/** A connection that reports ads. */
export interface Reporter {
  readonly connectionId: string;
  /** The platform's other connections that were not disconnected: what one of them reported first stays with it. */
  readonly others: ReadonlySet<string>;
}

/** A row that may be recorded: whose it is, with the parents it names, and what it did that day. */
export interface ReadSpend {
  readonly day: string;
  readonly entity: SaidEntity;
  readonly parents: readonly SaidEntity[];
  readonly figures: Figures;
}

/** A row of many: what it says, or what is wrong with it, and the line it came from where there is one. */
export type Read = { readonly line: number | undefined } & (
  | { readonly said: ReadSpend }
  | { readonly fault: SpendFault }
);

export function readJudged(profileId: string, judged: JudgedSpendRow, now: Date): Read {
  const { line } = judged;
  if ('fault' in judged) return { line, fault: judged.fault };
  const read = readSpend(profileId, judged.row, now);
  return 'message' in read ? { line, fault: read } : { line, said: read };
}

export const goodOf = (reads: readonly Read[]): ReadSpend[] =>
  reads.flatMap((read) => ('said' in read ? [read.said] : []));

type Row = Extract<JudgedSpendRow, { row: unknown }>['row'];

/** Before it nobody advertised where we could know of it; every year of the columns is a partition. */
const firstDay = '2000-01-01';

/** What a row says, or the first thing that is wrong with it. */
function readSpend(profileId: string, row: Row, now: Date): ReadSpend | SpendFault {
  if (row.date < firstDay) return { field: 'date', message: `must not be before ${firstDay}` };
  if (row.date > lastDay(now)) return { field: 'date', message: 'lies in the future' };
  if (!isCurrency(row.currency)) return { field: 'currency', message: 'is not a currency of ISO 4217' };
  const amounts = readAmounts(row);
  if ('message' in amounts) return amounts;
  const { daily_budget: dailyBudget, ...said } = amounts;
  const family = readFamily(profileId, row, dailyBudget ?? undefined);
  if ('message' in family) return family;
  const figures = {
    currency: row.currency,
    ...said,
    impressions: count(row.impressions) ?? 0,
    clicks: count(row.clicks) ?? 0,
    reach: count(row.reach),
    video_views_3s: count(row.video_views_3s),
    video_completions: count(row.video_completions),
    messaging_conversations_started: count(row.messaging_conversations_started),
    messaging_first_replies: count(row.messaging_first_replies),
  };
  return { day: row.date, ...family, figures };
}

/** Somewhere it is already that day. */
const lastDay = (now: Date) => new Date(now.getTime() + 14 * hourMs).toISOString().slice(0, 10);

const count = (value: number | string | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

const refusals = {
  not_a_decimal: 'must be a number, or one written as text',
  too_many_digits: 'has more digits than can be kept exactly',
} as const;

type Amounts = Pick<Figures, 'spend' | 'conversions' | 'conversion_value'> & { readonly daily_budget: string | null };

function readAmounts(row: Row): Amounts | SpendFault {
  const amounts: Record<string, string | null> = {};
  for (const field of ['spend', 'conversions', 'conversion_value', 'daily_budget'] as const) {
    const value = row[field] ?? null;
    const parsed = value === null ? null : parseAmount(value);
    if (parsed?.ok === false) return { field, message: refusals[parsed.reason] };
    if (parsed?.amount.startsWith('-')) return { field, message: 'must not be negative' };
    amounts[field] = parsed?.amount ?? null;
  }
  return amounts as unknown as Amounts;
}

/** The entity and the parents that the row names. Its own column may say its id again; one below it has no place there. */
function readFamily(
  profileId: string,
  row: Row,
  dailyBudget: string | undefined,
): Pick<ReadSpend, 'entity' | 'parents'> | SpendFault {
  const { platform, level, external_id: externalId } = row;
  const columns = [
    { level: 'campaign', field: 'campaign_external_id', id: row.campaign_external_id, name: row.campaign_name },
    { level: 'ad_set', field: 'ad_set_external_id', id: row.ad_set_external_id, name: row.ad_set_name },
  ] as const;
  const parents: SaidEntity[] = [];
  for (const { level: above, field, id, name } of columns) {
    if (!id || (above === level && id === externalId)) continue;
    if (entityLevels.indexOf(above) >= entityLevels.indexOf(level)) {
      return { field, message: above === level ? 'differs from external_id' : `has no place in a row of a ${level}` };
    }
    const said = { id: entityIdOf(profileId, platform, above, id), platform, level: above, externalId: id };
    parents.push({ ...said, ...under(parents), name: name || undefined, currency: row.currency });
  }
  const entity = {
    id: entityIdOf(profileId, platform, level, externalId),
    platform,
    level,
    externalId,
    ...under(parents),
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

const under = (parents: readonly SaidEntity[]) => ({
  parentId: parents.at(-1)?.id,
  parentLevel: parents.at(-1)?.level,
});
