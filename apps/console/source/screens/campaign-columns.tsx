import { Link } from '@tanstack/react-router';
import type { DateRange } from '../date-range.ts';
import { definitions, type Field, fields, formatFigure } from '../fields.ts';
import { count, money, ratio, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { beforeTitle, Change } from '../parts/change.tsx';
import { ChangedMark } from '../parts/changed-mark.tsx';
import type { Column } from '../parts/columns.ts';
import { Figure } from '../parts/figure.tsx';
import { type Filter, FilterValue } from '../parts/filters.tsx';
import type { CampaignRow } from '../queries.ts';
import type { Level, Model, Within } from '../search.ts';

/** The figures of a row, in display order. */
export const campaignFields = [
  'outcome_value',
  'spend',
  'roas',
  'outcome_count',
  'cac',
  'outcome_count_first_payment',
  'cac_first_payment',
  'attributed_outcome_count',
] as const satisfies readonly Field[];

interface Before {
  readonly range: DateRange;
  readonly rows: ReadonlyMap<string, CampaignRow>;
}

/** The compared figures and whether more is better; for spend neither is. */
const compared = { outcome_value: 'more', spend: undefined, roas: 'more' } as const;
const isCompared = (field: Field): field is keyof typeof compared => Object.hasOwn(compared, field);

interface ColumnOptions {
  readonly level: Level;
  readonly model: Model;
  readonly currency: string;
  readonly opened: string | undefined;
  readonly toggle: (id: string) => void;
  /** Whether the rows come from several ad accounts. */
  readonly hasAccounts: boolean;
  /** For an as-of report: the current attributed revenue of its rows. */
  readonly now: ReadonlyMap<string, number | null> | undefined;
  /** The rows of the compared period by id, and its dates. */
  readonly before: Before | undefined;
  /** Absent when the member may not change anything at the platforms. */
  readonly change:
    | { readonly opened: OpenedChange | undefined; readonly toggle: (change: OpenedChange) => void }
    | undefined;
}

/** The change panel that is open under a row. */
export interface OpenedChange {
  readonly id: string;
  readonly kind: 'status' | 'budget';
}

/** Whether the row or its parent can have a daily budget. */
const hasBudget = ({ status, external_id: id }: CampaignRow, level: Level): boolean =>
  level !== 'ad' && id !== null && !over.has(status ?? '');
const over: ReadonlySet<string> = new Set(['ARCHIVED', 'DELETED', 'REMOVED']);

/** The status change available for a row, if any. */
export function changeOf({ status, external_id: id }: CampaignRow, level: Level): 'pause' | 'resume' | undefined {
  if (level === 'ad_set' || id === null) return undefined;
  return status === 'ACTIVE' || status === 'ENABLED' ? 'pause' : status === 'PAUSED' ? 'resume' : undefined;
}

export function campaignColumns({
  level,
  model,
  currency,
  opened,
  toggle,
  hasAccounts,
  now,
  before,
  change,
}: ColumnOptions): Column<CampaignRow>[] {
  return [
    {
      id: 'name',
      title: t.common.name,
      value: ({ campaign_name: name }) => name,
      cell: (row) => (
        <>
          <Name row={row} level={level} />
          <span className="label mt-0.5 flex flex-wrap gap-x-2">
            <About row={row} />
            <ModelsButton
              isOpen={opened === row.campaign_id}
              about={row.campaign_name}
              toggle={() => toggle(row.campaign_id)}
            />
            {change && changeOf(row, level) && (
              <ChangeButton
                title={words(changeOf(row, level) ?? '')}
                label={`${words(changeOf(row, level) ?? '')} ${row.campaign_name}`}
                of={{ id: row.campaign_id, kind: 'status' }}
                change={change}
              />
            )}
            {change && hasBudget(row, level) && (
              <ChangeButton
                title={t.budget.change}
                label={t.budget.changeOf(row.campaign_name)}
                of={{ id: row.campaign_id, kind: 'budget' }}
                change={change}
              />
            )}
          </span>
        </>
      ),
    },
    ...(hasAccounts ? [accountColumn] : []),
    ...campaignFields.map(
      (field): Column<CampaignRow> => ({
        id: field,
        title: fields[field].title,
        about: fields[field].about,
        isNumber: true,
        value: (row) => row[field] ?? null,
        cell: (row) => (
          <>
            <Figure
              of={{ report: 'campaigns', field, entity: row.campaign_id, level, model }}
              value={row[field]}
              currency={currency}
              about={row.campaign_name}
            />
            {before && isCompared(field) && (
              <Change
                now={row[field]}
                was={before.rows.get(row.campaign_id)?.[field] ?? null}
                better={compared[field]}
                from={beforeTitle(
                  before.range,
                  formatFigure(field, before.rows.get(row.campaign_id)?.[field] ?? null, currency),
                )}
              />
            )}
            {field === 'outcome_value' && <Since row={row} now={now?.get(row.campaign_id)} currency={currency} />}
          </>
        ),
      }),
    ),
    ...delivered.map(
      ({ field, title, about, format }): Column<CampaignRow> => ({
        id: field,
        title,
        about,
        isNumber: true,
        isExtra: true,
        value: (row) => row[field] ?? null,
        cell: (row) => <span className="number">{format(row[field], currency)}</span>,
      }),
    ),
  ];
}

const accountColumn: Column<CampaignRow> = {
  id: 'account',
  title: t.table.account,
  value: ({ account_name: account }) => account ?? null,
  cell: ({ account_name: account }) =>
    account ? (
      <FilterValue id="account" value={account}>
        {account}
      </FilterValue>
    ) : null,
};

/** Whether rows come from several ad accounts; imported rows have none. */
export const areOfSeveralAccounts = (rows: readonly CampaignRow[]): boolean =>
  new Set(rows.flatMap(({ account_name: account }) => account ?? [])).size > 1;

interface ChangeButtonProps {
  readonly title: string;
  readonly label: string;
  readonly of: OpenedChange;
  readonly change: NonNullable<ColumnOptions['change']>;
}

function ChangeButton({ title, label, of, change: { opened, toggle } }: ChangeButtonProps) {
  const isOpen = opened?.id === of.id && opened.kind === of.kind;
  return (
    <button
      type="button"
      className="text-accent hover:underline"
      aria-expanded={isOpen}
      aria-label={label}
      onClick={() => toggle(of)}
    >
      {isOpen ? t.common.close : title}
    </button>
  );
}

interface SinceProps {
  readonly row: CampaignRow;
  readonly now: number | null | undefined;
  readonly currency: string;
}

/** Marks a figure that differed when its month was closed, or that has changed since the as-of date. */
function Since({ row, now, currency }: SinceProps) {
  if (row.changed_since && row.closed_value !== undefined)
    return <ChangedMark other={money(row.closed_value, currency)} when="closed" />;
  if (now === undefined || now === (row.outcome_value ?? null)) return null;
  return <ChangedMark other={money(now, currency)} when="now" />;
}

/** The delivery figures that the platform reported. */
const delivered = [
  { field: 'impressions', title: t.metrics.impressions, about: definitions.impressions, format: count },
  { field: 'clicks', title: t.metrics.clicks, about: definitions.clicks, format: count },
  { field: 'ctr', title: t.metrics.ctr, about: definitions.ctr, format: ratio },
  { field: 'avg_cpc', title: t.metrics.cpc, about: definitions.cpc, format: money },
  { field: 'avg_cpm', title: t.metrics.cpm, about: definitions.cpm, format: money },
] as const;

/** The filters of campaigns, ad sets and ads. */
export const campaignFilters: readonly Filter<CampaignRow>[] = [
  { id: 'platform', title: t.table.platform, pick: ({ platform }) => platform, name: words },
  {
    id: 'account',
    title: t.table.account,
    pick: ({ account_name: account }) => account ?? null,
    name: (account) => account,
  },
  {
    id: 'status',
    title: t.table.status,
    pick: ({ status }) => status ?? null,
    name: (status) => words(status.toLowerCase()),
  },
];

function About({ row: { platform, status, external_id: externalId } }: { readonly row: CampaignRow }) {
  return (
    <span className="flex flex-wrap items-baseline gap-x-1.5">
      <FilterValue id="platform" value={platform}>
        {words(platform)}
      </FilterValue>
      {externalId === null && <span>· {t.campaigns.notTold}</span>}
      {externalId !== null && status && (
        <>
          <span aria-hidden="true">·</span>
          <FilterValue id="status" value={status}>
            {words(status.toLowerCase())}
          </FilterValue>
        </>
      )}
    </span>
  );
}

/** A campaign links to its ad sets, an ad set to its ads. */
function Name({ row, level }: { readonly row: CampaignRow; readonly level: Level }) {
  const deeper = deeperThan(row, level);
  if (!deeper) return <span className="font-medium">{row.campaign_name}</span>;
  return (
    <Link
      from="/p/$profileId/campaigns"
      to="."
      search={({ explain: _, ...before }) => ({ ...before, ...deeper })}
      className="font-medium text-accent hover:underline"
    >
      {row.campaign_name}
    </Link>
  );
}

function deeperThan(row: CampaignRow, level: Level): { level: Level; within: Within } | undefined {
  const { platform, external_id: own, campaign_external_id: campaign } = row;
  if (own === null || level === 'ad') return undefined;
  if (level === 'campaign') return { level: 'ad_set', within: { platform, campaign: own } };
  return campaign ? { level: 'ad', within: { platform, campaign, adSet: own } } : undefined;
}

interface ButtonProps {
  readonly isOpen: boolean;
  readonly about: string;
  readonly toggle: () => void;
}

export function ModelsButton({ isOpen, about, toggle }: ButtonProps) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-label={t.campaigns.sixModelsOf(about)}
      className="text-accent hover:underline"
      onClick={toggle}
    >
      {isOpen ? t.campaigns.closeModels : t.campaigns.sixModels}
    </button>
  );
}
