import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useId, useMemo, useState } from 'react';
import { words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { DataTable } from '../parts/data-table.tsx';
import { SetUpLink } from '../parts/set-up-link.tsx';
import { Empty, Loading, Problem, QueryResult } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { customersQuery, goalsQuery, profileQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { customerColumns } from './customer-columns.tsx';
import { More } from './more.tsx';
import { AccessNotice, OnlyWithPeople } from './only-with-customers.tsx';
import { CustomerSearchResults } from './search-results.tsx';

const route = getRouteApi('/p/$profileId/customers');
const usualGoal = 'payment_received';

/** Customers who reached a goal in the period, newest first, and a search over all customers. */
export function Customers() {
  useTitle(t.pages.customers);
  const { goal = usualGoal } = route.useSearch();
  const { scope, linkSearch } = useReportScope();
  const { isAdmin } = useMembership();
  const [search, setSearch] = useState('');
  return (
    <OnlyWithPeople title={t.pages.customers}>
      <div className="mb-4 flex flex-wrap items-baseline justify-between gap-x-6">
        <h1>{t.pages.customers}</h1>
        {isAdmin && (
          <Link
            to="/p/$profileId/erasures"
            params={{ profileId: scope.profileId }}
            search={linkSearch}
            className="text-accent hover:underline"
          >
            {t.people.eraseCustomer}
          </Link>
        )}
      </div>
      <div className="mb-4 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <GoalPicker goal={goal} />
        <SearchField search={setSearch} />
      </div>
      {search && <CustomerSearchResults text={search} />}
      <List key={`${goal} ${search}`} goal={goal} search={search} />
      <AccessNotice />
    </OnlyWithPeople>
  );
}

function GoalPicker({ goal }: { readonly goal: string }) {
  const { scope } = useReportScope();
  const navigate = useNavigate({ from: '/p/$profileId/customers' });
  const { data: goals } = useQuery(goalsQuery(scope.profileId));
  const picker = useId();
  const choices = [...new Set([goal, ...(goals?.types ?? [])])].toSorted();
  return (
    <div className="flex items-center gap-3">
      <label htmlFor={picker} className="label">
        {t.people.goal}
      </label>
      <select
        id={picker}
        className="field"
        value={goal}
        onChange={({ target }) =>
          void navigate({ to: '.', search: (before) => ({ ...before, goal: target.value }), resetScroll: false })
        }
      >
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {words(choice)}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Searches on submit rather than on each letter, because every response is logged as access to personal data. */
function SearchField({ search }: { readonly search: (text: string) => void }) {
  const field = useId();
  return (
    <search>
      <form
        className="flex flex-wrap items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          search(String(new FormData(event.currentTarget).get('search')).trim());
        }}
        onReset={() => search('')}
      >
        <label htmlFor={field} className="label">
          {t.people.searchBy}
        </label>
        <input id={field} name="search" type="search" maxLength={200} autoComplete="off" className="field w-52" />
        <button type="submit" className="button">
          {t.people.find}
        </button>
        <button type="reset" className="button">
          {t.people.clear}
        </button>
      </form>
    </search>
  );
}

function List({ goal, search }: { readonly goal: string; readonly search: string }) {
  const { scope } = useReportScope();
  const profile = useQuery(profileQuery(scope.profileId));
  return (
    <QueryResult query={profile}>
      {({ reporting_currency: currency, time_zone: timeZone }) => (
        <Rows goal={goal} search={search} currency={currency} timeZone={timeZone} />
      )}
    </QueryResult>
  );
}

interface RowsProps {
  readonly goal: string;
  readonly search: string;
  readonly currency: string;
  readonly timeZone: string;
}

function Rows({ goal, search, currency, timeZone }: RowsProps) {
  const { scope } = useReportScope();
  const query = useInfiniteQuery(customersQuery(scope, goal, search));
  const columns = useMemo(() => customerColumns({ currency, timeZone }), [currency, timeZone]);
  if (query.isError) return <Problem error={query.error} again={() => void query.refetch()} />;
  if (!query.data) return <Loading lines={10} />;
  const rows = query.data.pages.flatMap((page) => page.data);
  return (
    <section aria-labelledby="reached">
      <h2 id="reached" className="mb-2">
        {t.people.newestFirst(words(goal))}
      </h2>
      {rows.length > 0 ? (
        <DataTable
          caption={t.people.whoReached(words(goal))}
          columns={columns}
          rows={rows}
          keyOf={({ conversion_id: id }) => id}
        />
      ) : (
        <Empty title={query.hasNextPage ? t.people.nobodySoFar : t.people.nobodyReached}>
          {query.hasNextPage ? t.people.lookFurther : t.people.chooseOther}
          {!query.hasNextPage && <SetUpLink />}
        </Empty>
      )}
      <More query={query} />
    </section>
  );
}
