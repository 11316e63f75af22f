import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { longDay } from '../format.ts';
import { Choice } from '../parts/choice.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { ModelPicker } from '../parts/model-picker.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { usePlace } from '../place.ts';
import { comparisonQuery } from '../queries.ts';
import { comparisonColumns } from './comparison-columns.tsx';
import { NewCustomerCost } from './new-customer-cost.tsx';
import { PlatformBars } from './platform-bars.tsx';

const route = getRouteApi('/p/$profileId/platforms');

const levels = [
  { value: 'campaign', title: 'Campaigns' },
  { value: 'ad_set', title: 'Ad sets' },
  { value: 'ad', title: 'Ads' },
] as const;

/** What platforms claim for themselves, beside what we credit them with. Never added up: the two count differently. */
export function Comparison() {
  useTitle('Platforms');
  const { level } = route.useSearch();
  const { place, model } = usePlace();
  const navigate = useNavigate({ from: '/p/$profileId/platforms' });
  const first = useQuery(comparisonQuery(place, level, model));
  // What came after the last day that a platform told of has nothing to be held against.
  const known = lastKnown(first.data?.data.platforms ?? []);
  const isCut = known !== undefined && known < place.to && known >= place.from;
  const compared = isCut ? { ...place, to: known } : place;
  const query = useQuery({ ...comparisonQuery(compared, level, model), enabled: first.isSuccess });
  const currency = query.data?.meta.currency ?? '';
  const columns = useMemo(() => comparisonColumns({ level, model, currency }), [level, model, currency]);
  return (
    <>
      <h1>Platforms</h1>
      <p className="mt-1 mb-4 max-w-prose text-soft">
        What ad platforms claim, beside what we credit them with. They count by rules of their own, and two platforms
        may claim the same sale, so a gap is no mistake of either; a large one is worth a look.
      </p>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <Choice
          label="What the rows are"
          value={level}
          options={levels}
          onChange={(next) =>
            void navigate({ to: '.', search: ({ explain: _, ...before }) => ({ ...before, level: next }) })
          }
        />
        <ModelPicker />
      </div>
      {isCut && (
        <p className="mb-3">
          Compared from {longDay(place.from)} to {longDay(known)}, the days that both sides know.
        </p>
      )}
      <Answered query={first.isError ? first : query} lines={10}>
        {({ data: { platforms, rows } }) =>
          platforms.length === 0 ? (
            <Empty title="No platform told of anything in these days">
              Choose other days above, or connect an ad platform under Connections: spend and its own counts come with
              it.
            </Empty>
          ) : (
            <div className="grid gap-6">
              <PlatformBars platforms={platforms} currency={currency} />
              <NewCustomerCost currency={currency} />
              <DataTable
                caption="What platforms claim and what we credit, row by row"
                columns={columns}
                rows={rows}
                keyOf={({ entity_id: id }) => id}
                hasFind
              />
            </div>
          )
        }
      </Answered>
    </>
  );
}

/** The last day of which every platform that told of anything has told. */
const lastKnown = (platforms: readonly { readonly delivery_through: string | null }[]): string | undefined =>
  platforms.flatMap(({ delivery_through: through }) => through ?? []).toSorted()[0];
