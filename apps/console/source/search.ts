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

/** Parses search parameters. Whatever the URL contains, the screens get values that the API accepts. */

export type Model = keyof typeof models;
export const modelNames = Object.keys(models) as Model[];
export type Level = EntityLevel;
export type ScoreWindow = (typeof scoreWindows)[number];

/** The figure being explained: its entity, report and model. */
export interface Explained {
  readonly report: ExplainedReport;
  readonly field: Field;
  /** Our id of the row, or `unattributed`; absent for the total. */
  readonly entity?: string;
  readonly level: Level;
  readonly model: Model;
  readonly type?: string;
  /** Set when the figure belongs to a platform or channel instead of a row. */
  readonly platform?: string;
  readonly channel?: string;
  /** For top ads: the window over which they were scored. */
  readonly window?: ScoreWindow;
  /** Set when the figure's dates differ from the screen's. */
  readonly days?: DateRange;
}

export interface ReportSearch extends DateRange {
  readonly model: Model;
  readonly compared: Compared;
  /** Shows figures as of the end of this day; absent: current figures. */
  readonly asOf?: string | undefined;
  readonly explain?: Explained;
  /** The sorted column, prefixed with a minus for descending order. */
  readonly sort?: string | undefined;
  /** The text search of a table. Never used in tables of customers. */
  readonly find?: string | undefined;
  /** The selected value of each filter of a table. */
  readonly only?: Readonly<Record<string, string>> | undefined;
}

/** The drill-down: the children of a campaign or of one of its ad sets. Ids are the platform's. */
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
  // Campaigns are the top level, so `within` does not apply to them.
  return within && level !== 'campaign' ? { level, within } : { level };
}

export const readWindow = (search: Search): { window: ScoreWindow } => ({
  window: oneOf(scoreWindows, search.window) ?? defaultScoreWindow,
});

/** The search of the customer list. The typed text is left out: it is usually a name, and URLs are logged and shared. */
export function readCustomersSearch(search: Search): { goal?: string } {
  const goal = asText(search.goal);
  return goal && /^[a-z0-9_]{1,64}$/.test(goal) ? { goal } : {};
}

/** The filters of payment matches: state, one or two sources, and confidence. */
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

/** Only returns into the console: an external URL would allow an open redirect after sign-in. */
export const readNext = ({ next }: Search): { next?: string } =>
  typeof next === 'string' && (next === '/account' || next === '/invitation' || next.startsWith('/p/')) ? { next } : {};

/** A date in the past. */
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

/** The router parses an id of digits as a number. */
const asText = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : typeof value === 'string' && value.length <= 200 ? value : undefined;

/** The report to send by e-mail. */
export const readMailed = (search: Search): { report: (typeof mailedPages)[number] } => ({
  report: mailedPages.find((page) => page === search.report) ?? 'overview',
});
