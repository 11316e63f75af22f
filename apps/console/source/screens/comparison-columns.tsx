import type { DateRange } from '../date-range.ts';
import type { Field } from '../fields.ts';
import { count, signed, words } from '../format.ts';
import { t } from '../messages/index.ts';
import type { Column } from '../parts/columns.ts';
import { Figure } from '../parts/figure.tsx';
import { type Filter, FilterValue } from '../parts/filters.tsx';
import type { Comparison } from '../queries.ts';
import type { Level, Model } from '../search.ts';
import { models } from '../vocabulary.ts';

type Row = Comparison['data']['rows'][number];

export const comparisonFilters: readonly Filter<Row>[] = [
  { id: 'platform', title: t.table.platform, pick: ({ platform }) => platform, name: words },
];

const asNumber = (value: string | null): number | null => (value === null ? null : Number(value));

export function comparisonColumns(of: {
  readonly level: Level;
  readonly model: Model;
  readonly currency: string;
  /** The dates for which both sides have data. */
  readonly days: DateRange;
}): Column<Row>[] {
  const { level, model, currency, days } = of;
  const figure = (row: Row, field: Field, value: number | string | null) => (
    <Figure
      of={{ report: 'platform_comparison', field, entity: row.entity_id, level, model, days }}
      value={value}
      currency={currency}
      about={row.name}
    />
  );
  const explained = (field: Field & keyof Row, title: string): Column<Row> => ({
    id: field,
    title,
    isNumber: true,
    value: (row) => asNumber(row[field] === null ? null : String(row[field])),
    cell: (row) => figure(row, field, row[field]),
  });
  return [
    {
      id: 'name',
      title: t.common.name,
      value: ({ name }) => name,
      cell: ({ name, platform }) => (
        <>
          <span className="font-medium">{name}</span>
          <span className="label block">
            <FilterValue id="platform" value={platform}>
              {words(platform)}
            </FilterValue>
          </span>
        </>
      ),
    },
    explained('spend', t.metrics.spend),
    explained('platform_conversions', t.comparison.claim),
    isDivided(model)
      ? {
          id: 'atribu_cash_credits',
          title: t.comparison.ourPayments,
          isNumber: true,
          value: (row) => row.atribu_cash_credits,
          cell: (row) => count(row.atribu_cash_credits),
        }
      : explained('atribu_cash_conversions', t.comparison.ourPayments),
    explained('atribu_conversions', t.comparison.ourConversions),
    {
      id: 'conversion_gap',
      title: t.comparison.gap,
      isNumber: true,
      about: t.comparison.gapAbout,
      value: gapOf,
      cell: (row) => (isDivided(model) ? signed(gapOf(row)) : figure(row, 'payment_gap', gapOf(row))),
    },
    explained('platform_conversion_value', t.metrics.platformValue),
    explained('atribu_cash_revenue', t.comparison.ourRevenue),
    explained('value_gap', t.comparison.gapInMoney),
    {
      id: 'roas',
      title: t.comparison.roas,
      isNumber: true,
      value: (row) => row.atribu_roas,
      cell: (row) => (
        <>
          {figure(row, 'platform_roas', row.platform_roas)} / {figure(row, 'atribu_roas', row.atribu_roas)}
        </>
      ),
    },
  ];
}

/** Rounds as the API does: subtracting two floats yields digits that neither had. */
export const gapOf = ({
  platform_conversions: theirs,
  atribu_cash_credits: ours,
}: Pick<Row, 'platform_conversions' | 'atribu_cash_credits'>): number | null =>
  theirs === null ? null : Number((ours - theirs).toFixed(6));

/** Multi-touch models credit fractions of payments. The explanation lists whole payments, so it is not offered for them. */
export const isDivided = (model: Model): boolean => models[model].credit === 'multiple';
