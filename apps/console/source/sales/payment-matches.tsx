import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { matchStates } from '@tributary/vocabulary';
import { useEffect } from 'react';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Labelled } from '../parts/labelled.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, QueryResult } from '../parts/states.tsx';
import { More } from '../people/more.tsx';
import { profileQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import type { MatchSearch } from '../search.ts';
import { DecideAll } from './decide-all.tsx';
import { MatchRow } from './match-row.tsx';
import { type MatchQuery, type SaleSource, saleMatchesQuery, saleSourcesQuery } from './queries.ts';
import { sourceLabel } from './source-title.ts';

const route = getRouteApi('/p/$profileId/payment-matches');

/** Pairs of payments from two sources: evidence, which one counts, and the members' decisions. */
export function PaymentMatches() {
  const { scope, linkSearch } = useReportScope();
  const { profileId } = scope;
  const { may } = useMembership();
  const search = route.useSearch();
  const sources = useQuery({ ...saleSourcesQuery(profileId), enabled: may('commerce:read') });
  const profile = useQuery(profileQuery(profileId));
  const filter = toQuery(search);
  const isApplying = sources.data?.is_pending ?? false;
  const matches = useInfiniteQuery({
    ...saleMatchesQuery(profileId, filter),
    enabled: may('commerce:read'),
    // Polls until the worker has applied the decisions.
    ...(isApplying && { refetchInterval: 2_000 }),
  });
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!isApplying) void queryClient.invalidateQueries({ queryKey: [profileId, 'sales', 'matches'] });
  }, [isApplying, profileId, queryClient]);
  if (!may('commerce:read')) return <Empty title={t.sales.noPermission} />;
  return (
    <Page
      title={t.sales.matches}
      about={t.sales.matchesAbout}
      actions={
        <Link to="/p/$profileId/payment-sources" params={{ profileId }} search={linkSearch} className="button">
          {t.sales.seeSources}
        </Link>
      }
    >
      <QueryResult query={sources}>
        {({ sources: all, is_pending: isPending }) => (
          <div className="grid gap-4">
            <Filters search={search} sources={all} />
            {may('attribution:write') && <DecideAll profileId={profileId} search={search} sources={all} />}
            {isPending && (
              <p role="status" className="label">
                {t.sales.applying}
              </p>
            )}
            <QueryResult query={matches}>
              {({ pages }) => {
                const rows = pages.flatMap(({ data }) => data);
                if (rows.length === 0) return <Empty title={t.sales.none}>{t.sales.noneAbout}</Empty>;
                return (
                  <ul aria-label={t.sales.list} className="card divide-y divide-line">
                    {rows.map((match) => (
                      <MatchRow
                        key={match.records.map(({ id }) => id).join(' ')}
                        match={match}
                        sources={all}
                        timeZone={profile.data?.time_zone ?? 'UTC'}
                      />
                    ))}
                  </ul>
                );
              }}
            </QueryResult>
            <More query={matches} />
          </div>
        )}
      </QueryResult>
    </Page>
  );
}

const toQuery = ({ state, source, other, certain }: MatchSearch): MatchQuery => ({
  ...(state && { state }),
  ...(source && { source }),
  ...(other && { other_source: other }),
  ...(certain && { is_certain: certain }),
});

interface FiltersProps {
  readonly search: MatchSearch;
  readonly sources: readonly SaleSource[];
}

function Filters({ search, sources }: FiltersProps) {
  const navigate = useNavigate();
  const change = (changes: Partial<Record<keyof MatchSearch, string | undefined>>) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, ...changes }) as typeof before,
      replace: true,
      resetScroll: false,
    });
  const keys = sources.map(({ source }) => source);
  const named = (key: string) => ({ value: key, title: sourceLabel(key, sources) });
  return (
    <fieldset className="flex flex-wrap items-end gap-3">
      <legend className="sr-only">{t.sales.filters}</legend>
      <Picker
        title={t.sales.state}
        any={t.sales.anyState}
        value={search.state}
        options={matchStates.map((value) => ({ value, title: t.sales.states[value] }))}
        onChange={(state) => change({ state })}
      />
      <Picker
        title={t.sales.source}
        any={t.sales.anySource}
        value={search.source}
        options={keys.map(named)}
        onChange={(source) => change({ source, ...(source === search.other && { other: undefined }) })}
      />
      <Picker
        title={t.sales.otherSource}
        any={t.sales.anySource}
        value={search.other}
        options={keys.filter((key) => key !== search.source).map(named)}
        onChange={(other) => change({ other })}
      />
      <Picker
        title={t.sales.confidence}
        any={t.sales.anyConfidence}
        value={search.certain}
        options={[
          { value: 'true', title: t.sales.certain },
          { value: 'false', title: t.sales.likely },
        ]}
        onChange={(certain) => change({ certain })}
      />
    </fieldset>
  );
}

interface PickerProps {
  readonly title: string;
  readonly any: string;
  readonly value: string | undefined;
  readonly options: readonly { readonly value: string; readonly title: string }[];
  readonly onChange: (value: string | undefined) => void;
}

const Picker = ({ title, any, value, options, onChange }: PickerProps) => (
  <Labelled title={title}>
    {(id) => (
      <select
        id={id}
        className="field w-full max-w-64"
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value || undefined)}
      >
        <option value="">{any}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.title}
          </option>
        ))}
      </select>
    )}
  </Labelled>
);
