import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { longDay } from '../format.ts';
import { t } from '../messages/index.ts';
import { Choice } from '../parts/choice.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { levelChoices } from '../parts/levels.ts';
import { ModelPicker } from '../parts/model-picker.tsx';
import { SetUpLink } from '../parts/set-up-link.tsx';
import { Empty, QueryResult } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { comparisonQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { comparisonColumns, comparisonFilters } from './comparison-columns.tsx';
import { NewCustomerCost } from './new-customer-cost.tsx';
import { PlatformBars } from './platform-bars.tsx';

const route = getRouteApi('/p/$profileId/platforms');

/** Conversions claimed by platforms next to the conversions attributed to them. Never summed: the two count differently. */
export function Comparison() {
  useTitle(t.pages.platforms);
  const { level } = route.useSearch();
  const { scope, model } = useReportScope();
  const navigate = useNavigate({ from: '/p/$profileId/platforms' });
  const first = useQuery(comparisonQuery(scope, level, model));
  // Days after the last one that platforms reported have nothing to compare with, so they are cut off.
  const lastDay = lastReportedDay(first.data?.data.platforms ?? []);
  const isCut = lastDay !== undefined && lastDay < scope.to && lastDay >= scope.from;
  const compared = isCut ? { ...scope, to: lastDay } : scope;
  const query = useQuery({ ...comparisonQuery(compared, level, model), enabled: first.isSuccess });
  const currency = query.data?.meta.currency ?? '';
  const { from, to } = compared;
  const columns = useMemo(
    () => comparisonColumns({ level, model, currency, days: { from, to } }),
    [level, model, currency, from, to],
  );
  return (
    <>
      <h1>{t.pages.platforms}</h1>
      <p className="mt-1 mb-4 max-w-prose text-soft">{t.comparison.about}</p>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <Choice
          label={t.levels.whatRows}
          value={level}
          options={levelChoices}
          onChange={(next) =>
            void navigate({ to: '.', search: ({ explain: _, ...before }) => ({ ...before, level: next }) })
          }
        />
        <ModelPicker />
      </div>
      {isCut && <p className="mb-3">{t.comparison.bothKnow(longDay(scope.from), longDay(lastDay))}</p>}
      <QueryResult query={first.isError ? first : query} lines={10}>
        {({ data: { platforms, rows } }) =>
          platforms.length === 0 ? (
            <Empty title={t.comparison.nothing}>
              {t.comparison.nothingAbout}
              <SetUpLink />
            </Empty>
          ) : (
            <div className="grid gap-6">
              <PlatformBars platforms={platforms} currency={currency} level={level} days={{ from, to }} />
              <NewCustomerCost currency={currency} />
              <DataTable
                caption={t.comparison.caption}
                columns={columns}
                rows={rows}
                keyOf={({ entity_id: id }) => id}
                hasFind
                filters={comparisonFilters}
              />
            </div>
          )
        }
      </QueryResult>
    </>
  );
}

/** The last day that every reporting platform has covered. */
const lastReportedDay = (platforms: readonly { readonly delivery_through: string | null }[]): string | undefined =>
  platforms.flatMap(({ delivery_through: through }) => through ?? []).toSorted()[0];
