import {
  defaultAttributionModel,
  defaultScoreWindow,
  type EntityLevel,
  type ExplainedReport,
  entityLevels,
  explainedReports,
  isUuid,
  type MatchState,
  matchStates,
} from '@tributary/vocabulary';
import { type Compared, comparisons, type DateRange, readRange, today } from './date-range.ts';
import { type Field, fields } from './fields.ts';
import { mailedPages, models, scoreWindows } from './vocabulary.ts';

/** What stands in the address after the question mark. Whatever somebody wrote there, the screens get something they can ask for. */

export type Model = keyof typeof models;
export const modelNames = Object.keys(models) as Model[];
export type Level = EntityLevel;
export type ScoreWindow = (typeof scoreWindows)[number];

/** A figure that is being explained: whose, of which report, under which model. */
export interface Explained {
  readonly report: ExplainedReport;
  readonly field: Field;
  /** Our id of the row, or `unattributed`; absent for everything. */
  readonly entity?: string;
  readonly level: Level;
  readonly model: Model;
  readonly type?: string;
  /** A platform or a channel in place of a row. */
  readonly platform?: string;
  readonly channel?: string;
  /** Of top ads: the days that they were scored over. */
  readonly window?: ScoreWindow;
  /** Where the figure is of other days than the screen. */
  readonly days?: DateRange;
}

export interface ReportSearch extends DateRange {
  readonly model: Model;
  readonly compared: Compared;
  /** The day at whose end the figures are shown; absent: as they stand. */
  readonly asOf?: string | undefined;
  readonly explain?: Explained;
  /** The column by which a table is sorted, with a minus before it where the largest comes first. */
  readonly sort?: string | undefined;
  /** What the rows of a table are looked for by. Never of people. */
  readonly find?: string | undefined;
  /** The rows of a table that are shown: a value for each of its filters. */
  readonly only?: Readonly<Record<string, string>> | undefined;
}

/** Where a drill-down stands: below a campaign, or below one of its ad sets. Ids are the platform's. */
export interface Within {
  readonly platform: string;
  readonly campaign: string;
  readonly adSet?: string;
}

export interface CampaignSearch {
  readonly level: Level;
  readonly within?: Within;
}

type Search = Readonly<Record<string, unknown>>;

export function readReportSearch(search: Search): ReportSearch {
  const explain = readExplained(search.explain);
  const asOf = readDay(search.asOf);
  const only = readOnly(search.only);
  const [sort, find] = [asText(search.sort), asText(search.find)];
  return {
    ...readRange(search),
    model: oneOf(modelNames, search.model) ?? defaultAttributionModel,
    compared: oneOf(Object.keys(comparisons) as Compared[], search.compared) ?? 'period',
    ...(asOf && { asOf }),
    ...(explain && { explain }),
    ...(sort && /^-?[a-z_]{1,60}$/.test(sort) && { sort }),
    ...(find && { find }),
    ...(only && { only }),
  };
}

export function readCampaignSearch(search: Search): CampaignSearch {
  const within = readWithin(search.within);
  const level = oneOf(entityLevels, search.level) ?? 'campaign';
  // Nothing lies below and is a campaign.
  return within && level !== 'campaign' ? { level, within } : { level };
}

export const readWindow = (search: Search): { window: ScoreWindow } => ({
  window: oneOf(scoreWindows, search.window) ?? defaultScoreWindow,
});

/** Of the list of customers. What somebody searched for does not stand here: it is mostly a name, and addresses are kept and sent on. */
export function readCustomersSearch(search: Search): { goal?: string } {
  const goal = asText(search.goal);
  return goal && /^[a-z0-9_]{1,64}$/.test(goal) ? { goal } : {};
}

/** Which matches of payments are shown: by state, by one or two sources, and by confidence. */
export interface MatchSearch {
  readonly state?: MatchState;
  readonly source?: string;
  readonly other?: string;
  readonly certain?: 'true' | 'false';
}

export function readMatchSearch(search: Search): MatchSearch {
  const state = oneOf(matchStates, search.state);
  const certain = oneOf(['true', 'false'] as const, String(search.certain));
  const [source, other] = [readSource(search.source), readSource(search.other)];
  return { ...(state && { state }), ...(source && { source }), ...(other && { other }), ...(certain && { certain }) };
}

const readSource = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[a-z][a-z0-9_]{0,39}(:[0-9a-f-]{36})?$/.test(value) ? value : undefined;

/** A conversion or a receipt, by our id. */
export const readConversion = ({ conversion }: Search): { conversion?: string } =>
  isId(conversion) ? { conversion } : {};
export const readReceipt = ({ receipt, customer }: Search): { receipt?: string; customer?: string } => ({
  ...(isId(receipt) && { receipt }),
  ...(isId(customer) && { customer }),
});

/** Only back into the console: an address from elsewhere could lead a person who has just signed in astray. */
export const readNext = ({ next }: Search): { next?: string } =>
  typeof next === 'string' && (next === '/account' || next === '/invitation' || next.startsWith('/p/')) ? { next } : {};

/** A day that is over. */
const readDay = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && value < today() ? value : undefined;

function readExplained(value: unknown): Explained | undefined {
  const search = asObject(value);
  const report = oneOf(explainedReports, search?.report);
  const field = oneOf(Object.keys(fields) as Field[], search?.field);
  if (!search || !report || !field) return undefined;
  const [entity, type] = [asText(search.entity), asText(search.type)];
  const [platform, channel] = [asText(search.platform), asText(search.channel)];
  const window = oneOf(scoreWindows, search.window);
  const days = readDays(search.days);
  return {
    report,
    field,
    level: oneOf(entityLevels, search.level) ?? 'campaign',
    model: oneOf(modelNames, search.model) ?? defaultAttributionModel,
    ...(entity && { entity }),
    ...(type && { type }),
    ...(platform && { platform }),
    ...(channel && { channel }),
    ...(window && { window }),
    ...(days && { days }),
  };
}

function readDays(value: unknown): DateRange | undefined {
  const { from, to } = asObject(value) ?? {};
  const isDay = (text: unknown): text is string => typeof text === 'string' && /^\d{4}-\d\d-\d\d$/.test(text);
  return isDay(from) && isDay(to) && from <= to ? { from, to } : undefined;
}

function readOnly(value: unknown): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries(asObject(value) ?? {}).flatMap(([id, chosen]) => {
    const text = asText(chosen);
    return text && /^[a-z_]{1,30}$/.test(id) ? [[id, text] as const] : [];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function readWithin(value: unknown): Within | undefined {
  const search = asObject(value);
  const [platform, campaign, adSet] = [asText(search?.platform), asText(search?.campaign), asText(search?.adSet)];
  return platform && campaign ? { platform, campaign, ...(adSet && { adSet }) } : undefined;
}

const oneOf = <Name extends string>(names: readonly Name[], value: unknown): Name | undefined =>
  names.find((name) => name === value);

const isId = (value: unknown): value is string => typeof value === 'string' && isUuid(value);

const asObject = (value: unknown): Search | undefined =>
  value !== null && typeof value === 'object' ? (value as Search) : undefined;

/** An id made of digits is a number to whoever reads an address. */
const asText = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : typeof value === 'string' && value.length <= 200 ? value : undefined;

/** The report that is to be sent by e-mail. */
export const readMailed = (search: Search): { report: (typeof mailedPages)[number] } => ({
  report: mailedPages.find((page) => page === search.report) ?? 'overview',
});
