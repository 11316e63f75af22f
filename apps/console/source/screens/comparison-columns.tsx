import type { Field } from '../fields.ts';
import { ratio, signed, signedMoney, words } from '../format.ts';
import type { Column } from '../parts/columns.ts';
import { Figure } from '../parts/figure.tsx';
import { type Filter, FilterValue } from '../parts/filters.tsx';
import type { Comparison } from '../queries.ts';
import type { Level, Model } from '../search.ts';
import { say } from '../words/index.ts';

type Row = Comparison['data']['rows'][number];

export const comparisonFilters: readonly Filter<Row>[] = [
  { id: 'platform', title: say.table.platform, pick: ({ platform }) => platform, name: words },
];

const asNumber = (value: string | null): number | null => (value === null ? null : Number(value));

export function comparisonColumns(of: {
  readonly level: Level;
  readonly model: Model;
  readonly currency: string;
}): Column<Row>[] {
  const { level, model, currency } = of;
  const explained = (id: keyof Row & string, title: string, field: Field): Column<Row> => ({
    id,
    title,
    isNumber: true,
    value: (row) => asNumber(row[id] === null ? null : String(row[id])),
    cell: (row) => (
      <Figure
        of={{ report: 'platform_comparison', field, entity: row.entity_id, level, model }}
        value={row[id]}
        currency={currency}
        about={row.name}
      />
    ),
  });
  return [
    {
      id: 'name',
      title: say.common.name,
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
    explained('spend', say.metrics.spend, 'spend'),
    explained('platform_conversions', say.comparison.claim, 'platform_conversions'),
    explained('atribu_cash_conversions', say.comparison.ourPayments, 'outcome_count'),
    explained('atribu_conversions', say.comparison.ourConversions, 'attributed_outcome_count'),
    {
      id: 'conversion_gap',
      title: say.comparison.gap,
      isNumber: true,
      about: say.comparison.gapAbout,
      value: gapOf,
      cell: (row) => signed(gapOf(row)),
    },
    explained('platform_conversion_value', say.metrics.platformValue, 'platform_conversion_value'),
    explained('atribu_cash_revenue', say.comparison.ourRevenue, 'outcome_value'),
    {
      id: 'value_gap',
      title: say.comparison.gapInMoney,
      isNumber: true,
      value: (row) => asNumber(row.value_gap),
      cell: (row) => signedMoney(row.value_gap, currency),
    },
    {
      id: 'roas',
      title: say.comparison.roas,
      isNumber: true,
      value: (row) => row.atribu_roas,
      cell: ({ platform_roas: theirs, atribu_roas: ours }) => `${ratio(theirs)} / ${ratio(ours)}`,
    },
  ];
}

const gapOf = ({ platform_conversions: theirs, atribu_cash_conversions: ours }: Row): number | null =>
  theirs === null ? null : ours - theirs;
