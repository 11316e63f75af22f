import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { count, money, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { Choice } from '../parts/choice.tsx';
import type { Column, FooterRow } from '../parts/columns.ts';
import { DataTable } from '../parts/data-table.tsx';
import { levelChoices } from '../parts/levels.ts';
import { State } from '../parts/page.tsx';
import { QueryResult } from '../parts/states.tsx';
import { useReportScope } from '../report-scope.ts';
import type { Level } from '../search.ts';
import { type Estimate, type Estimates as Estimated, estimatesQuery, type FittedModel } from './queries.ts';

/** The incremental conversions of each campaign, ad set or ad with their intervals, and the baseline. */
export function Estimates({ model }: { readonly model: FittedModel }) {
  const [level, setLevel] = useState<Level>('campaign');
  const { scope } = useReportScope();
  const estimates = useQuery(estimatesQuery(scope, model, level));
  return (
    <div className="grid gap-3">
      <div>
        <Choice label={t.levels.whatRows} value={level} options={levelChoices} onChange={setLevel} />
      </div>
      <QueryResult query={estimates} lines={8}>
        {(found) => <Rows found={found} />}
      </QueryResult>
    </div>
  );
}

function Rows({ found: { data, meta } }: { readonly found: Estimated }) {
  const isCalibrated = meta.model === 'calibrated';
  const columns = useMemo(() => columnsOf(meta.currency, isCalibrated), [meta.currency, isCalibrated]);
  return (
    <DataTable
      caption={t.causes.caused}
      columns={columns}
      rows={data}
      keyOf={({ entity_id: id }) => id}
      footer={sumsOf(meta)}
      hasFind
    />
  );
}

const tacticColumn: Column<Estimate> = {
  id: 'tactic',
  title: t.causes.tactic,
  about: t.causes.tacticAbout,
  value: ({ tactic }) => tactic ?? '',
  cell: ({ tactic }) => tactic && words(tactic),
};

const columnsOf = (currency: string, isCalibrated: boolean): Column<Estimate>[] => [
  {
    id: 'name',
    title: t.common.name,
    value: ({ name, external_id: id }) => name ?? id,
    cell: ({ name, external_id: id, models_disagree: disagree, is_tested: isTested }) => (
      <>
        {name ?? id}
        {isTested && (
          <span className="ml-2" title={t.causes.testedAbout}>
            <State tone="good">{t.causes.tested}</State>
          </span>
        )}
        {disagree && (
          <span className="ml-2" title={t.causes.disagreeAbout}>
            <State tone="bad">{t.causes.disagree}</State>
          </span>
        )}
      </>
    ),
  },
  {
    id: 'value',
    title: t.causes.causedRevenue,
    isNumber: true,
    value: ({ outcome_value: value }) => value,
    cell: ({ outcome_value: value }) => money(value, currency),
  },
  {
    id: 'interval',
    title: t.causes.interval,
    about: isCalibrated ? t.causes.calibratedAbout : t.causes.intervalAbout,
    isNumber: true,
    value: ({ outcome_value_low: low }) => low,
    cell: ({ outcome_value_low: low, outcome_value_high: high }) =>
      t.common.fromTo(money(low, currency), money(high, currency)),
  },
  ...(isCalibrated ? [tacticColumn] : []),
  {
    id: 'purchases',
    title: t.metrics.payments,
    isNumber: true,
    value: ({ purchases }) => purchases,
    cell: ({ purchases }) => count(purchases),
  },
];

/** Estimates and baseline add up to all purchases, exact to the minor unit. */
const sumsOf = (meta: Estimated['meta']): FooterRow[] => {
  const row = (id: string, title: string, value: number | null, isTotal = false): FooterRow => ({
    id,
    title,
    isTotal,
    cells: { value: money(value, meta.currency) },
  });
  return [
    row('entities', t.causes.toAds, meta.to_entities),
    row('others', t.causes.toOthers, meta.to_other_sources),
    row('anyway', t.causes.anyway, meta.would_have_come),
    row('unseen', t.causes.withoutTouch, meta.without_touch),
    row('total', t.causes.allBought, meta.total, true),
  ];
};
