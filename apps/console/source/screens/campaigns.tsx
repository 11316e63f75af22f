import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { ChangeAd } from '../ads/change-ad.tsx';
import { BudgetPanel } from '../ads/change-budget.tsx';
import { campaignsQuery, recheckInterval } from '../campaigns-query.ts';
import { connectionsQuery } from '../data/queries.ts';
import { comparedRange } from '../date-range.ts';
import { nothing } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { AsOfPicker } from '../parts/as-of-picker.tsx';
import { CloseMonth } from '../parts/close-month.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { levelTitles } from '../parts/levels.ts';
import { ModelPicker } from '../parts/model-picker.tsx';
import { Empty, Loading, QueryResult } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { type CampaignRow, profileQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import type { Level, Model, Within } from '../search.ts';
import { sharedLink } from '../shared-link.ts';
import { models } from '../vocabulary.ts';
import {
  areOfSeveralAccounts,
  campaignColumns,
  campaignFilters,
  changeOf,
  type OpenedChange,
} from './campaign-columns.tsx';
import { campaignCsv } from './campaign-csv.ts';
import { useCampaignFooter, useWholeFigures } from './campaign-footer.tsx';
import { Path } from './campaign-path.tsx';
import { EntityTrend } from './entity-trend.tsx';
import { SixModels } from './six-models.tsx';

const route = getRouteApi('/p/$profileId/campaigns');

export function Campaigns() {
  const { level, within } = route.useSearch();
  useTitle(levelTitles[level]);
  const { scope, model } = useReportScope();
  const isShared = sharedLink() !== undefined;
  const { data: connections = [] } = useQuery({ ...connectionsQuery(scope.profileId), enabled: !isShared });
  const interval = (rows: readonly CampaignRow[] | undefined) =>
    !isShared && recheckInterval(rows, connections, Date.now());
  const campaigns = useQuery({
    ...campaignsQuery(scope, level, model, within),
    refetchInterval: ({ state }) => interval(state.data?.rows),
  });
  const profile = useQuery(profileQuery(scope.profileId));
  useWholeFigures({ level, within, refetchInterval: () => interval(campaigns.data?.rows) });
  return (
    <>
      <h1 className="mb-4">{levelTitles[level]}</h1>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <Path level={level} within={within} rows={campaigns.data?.rows ?? []} />
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <CloseMonth />
          {!sharedLink() && <AsOfPicker />}
          <ModelPicker />
        </div>
      </div>
      <QueryResult query={campaigns} lines={10}>
        {({ rows, isCut }) => (
          <QueryResult query={profile}>
            {({ reporting_currency: currency, name }) => (
              <>
                <CampaignTable
                  // Resets opened panels when other rows are shown.
                  key={`${level} ${JSON.stringify(within)}`}
                  rows={below(rows, within)}
                  level={level}
                  within={within}
                  currency={currency}
                  profile={name}
                />
                {isCut && <p className="label mt-3">{t.campaigns.firstRows(rows.length)}</p>}
              </>
            )}
          </QueryResult>
        )}
      </QueryResult>
      <Notes model={model} isWhole={!within} />
    </>
  );
}

/** Keeps rows of the parent's platform: another platform may use the same id. */
function below(rows: readonly CampaignRow[], within: Within | undefined): readonly CampaignRow[] {
  return within ? rows.filter(({ platform }) => platform === within.platform) : rows;
}

interface TableProps {
  readonly rows: readonly CampaignRow[];
  readonly level: Level;
  readonly within: Within | undefined;
  readonly currency: string;
  /** The profile's name, for file names. */
  readonly profile: string;
}

function CampaignTable({ rows, level, within, currency, profile }: TableProps) {
  const { scope, model, compared } = useReportScope();
  const range = useMemo(() => comparedRange(scope, compared), [scope, compared]);
  // A shared link may read only its own dates, so nothing is compared.
  const isCompared = range !== undefined && scope.asOf === undefined && !sharedLink();
  const earlier = useQuery({
    ...campaignsQuery({ ...scope, ...range }, level, model, within),
    enabled: isCompared,
  });
  const before = useMemo(
    () =>
      isCompared && range && earlier.data
        ? { range, rows: new Map(earlier.data.rows.map((row) => [row.campaign_id, row])) }
        : undefined,
    [isCompared, range, earlier.data],
  );
  const current = useQuery({
    ...campaignsQuery({ ...scope, asOf: undefined }, level, model, within),
    enabled: scope.asOf !== undefined,
  });
  const now = useMemo(
    () =>
      scope.asOf && current.data
        ? new Map(current.data.rows.map((row) => [row.campaign_id, row.outcome_value]))
        : undefined,
    [scope.asOf, current.data],
  );
  const [opened, setOpened] = useState<string | undefined>();
  const toggle = useCallback((id: string) => setOpened((before) => (before === id ? undefined : id)), []);
  const [changed, setChanged] = useState<OpenedChange | undefined>();
  const mayChange = useMembership().may('campaigns:apply');
  const change = useMemo(
    () => ({
      opened: changed,
      toggle: (next: OpenedChange) =>
        setChanged((before) => (before?.id === next.id && before.kind === next.kind ? undefined : next)),
    }),
    [changed],
  );
  const hasAccounts = areOfSeveralAccounts(rows);
  const columns = useMemo(
    () =>
      campaignColumns({
        level,
        model,
        currency,
        opened,
        toggle,
        hasAccounts,
        now,
        before,
        change: mayChange ? change : undefined,
      }),
    [level, model, currency, opened, toggle, hasAccounts, now, before, mayChange, change],
  );
  const { rest, all } = useWholeFigures({ level, within });
  const totals = [
    ...(!within && rest.data ? [{ campaign_name: t.campaigns.unattributed, ...rest.data }] : []),
    ...(!within && all.data ? [{ campaign_name: t.common.allOfThem, ...all.data.data.totals }] : []),
  ];
  const footer = useCampaignFooter({ level, within, currency, opened, toggle });
  if (!footer) return <Loading />;
  if (rows.length === 0 && within) return <Empty title={t.campaigns.nothing} />;
  return (
    <DataTable
      caption={t.campaigns.caption(levelTitles[level])}
      columns={columns}
      rows={rows}
      keyOf={({ campaign_id: id }) => id}
      footer={footer}
      hasFind
      filters={campaignFilters}
      csv={campaignCsv({ name: profile, scope, level, model, currency }, columns, totals)}
      expanded={(row) => {
        const { campaign_id: id, campaign_name: name, external_id: externalId } = row;
        const of = { entity: id, level, currency, about: name };
        if (opened === id)
          return (
            <>
              <SixModels {...of} />
              <EntityTrend {...of} />
            </>
          );
        if (changed?.id !== id || externalId === null) return false;
        if (changed.kind === 'budget')
          return level === 'ad' ? (
            false
          ) : (
            <BudgetPanel holder={{ level, externalId }} campaignExternalId={row.campaign_external_id} />
          );
        if (level === 'ad_set') return false;
        return <ChangeAd level={level} externalId={externalId} name={name} to={changeOf(row, level) ?? 'pause'} />;
      }}
    />
  );
}

function Notes({ model, isWhole }: { readonly model: Model; readonly isWhole: boolean }) {
  const sum = models[model].credit === 'single' ? t.campaigns.addsUp : t.campaigns.shared;
  return (
    <p className="label mt-4 max-w-prose">
      {!sharedLink() && t.campaigns.pressNumber(nothing)} {isWhole && sum}
    </p>
  );
}
