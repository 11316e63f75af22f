import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clientFor } from '../client.ts';
import { count, dayIn, day as showDay } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Failed, Page, State } from '../parts/page.tsx';
import { SetUpLink } from '../parts/set-up-link.tsx';
import { Empty, QueryResult } from '../parts/states.tsx';
import { profileQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { ExclusionForm } from './exclusion-form.tsx';
import { OverlapState } from './overlap-question.tsx';
import { invalidateFigures, type SaleOverlap, type SaleSource, saleSourcesQuery } from './queries.ts';
import { SourceSettings } from './source-settings.tsx';
import { sourceLabel, sourceTitle } from './source-title.ts';

/** Every payment source: how its payments count, which sources overlap, and which record of a sale counts. */
export function PaymentSources() {
  const { scope, linkSearch } = useReportScope();
  const { profileId } = scope;
  const { may } = useMembership();
  const sources = useQuery({ ...saleSourcesQuery(profileId), enabled: may('commerce:read') });
  const profile = useQuery(profileQuery(profileId));
  if (!may('commerce:read')) return <Empty title={t.sales.noPermission} />;
  return (
    <Page
      title={t.sales.sources}
      about={t.sales.sourcesAbout}
      actions={
        <Link to="/p/$profileId/payment-matches" params={{ profileId }} search={linkSearch} className="button">
          {t.sales.matches}
        </Link>
      }
    >
      <QueryResult query={sources}>
        {({ sources: all, overlaps, settings, is_pending: isPending }) => (
          <div className="grid gap-5">
            {isPending && (
              <p role="status" className="label">
                {t.sales.applying}
              </p>
            )}
            {all.length === 0 ? (
              <Empty title={t.sales.noSources}>
                {t.sales.noSourcesAbout} <SetUpLink />
              </Empty>
            ) : (
              <ul aria-label={t.sales.sources} className="grid gap-3 lg:grid-cols-2">
                {all.map((one) => (
                  <li key={one.source} className="card grid content-start gap-3 p-5">
                    <Source source={one} sources={all} timeZone={profile.data?.time_zone ?? 'UTC'} />
                  </li>
                ))}
              </ul>
            )}
            <Overlaps overlaps={overlaps} sources={all} />
            {may('attribution:write') && (
              <SourceSettings
                key={`${settings.preference.join()} ${settings.window_minutes}`}
                profileId={profileId}
                settings={settings}
              />
            )}
          </div>
        )}
      </QueryResult>
    </Page>
  );
}

interface SourceProps {
  readonly source: SaleSource;
  readonly sources: readonly SaleSource[];
  readonly timeZone: string;
}

function Source({ source, sources, timeZone }: SourceProps) {
  const { profileId } = useReportScope().scope;
  const { may } = useMembership();
  const { excluded_from: from } = source;
  const title = sourceLabel(source.source, sources);
  return (
    <>
      <div>
        <h2 className="flex flex-wrap items-center gap-2">
          {title} {from !== null && <State tone="bad">{t.sales.excluded}</State>}
        </h2>
        {source.account_name && (
          <p className="label">
            {source.account_name} · {t.sales.kinds[source.kind]}
          </p>
        )}
        <p>
          {(source.has_more ? t.sales.newestFigures : t.sales.figures)(
            count(source.records),
            count(source.counted),
            count(source.duplicates),
          )}
          {source.excluded > 0 && t.sales.excludedCount(count(source.excluded))}
          {source.pending > 0 && t.sales.pendingCount(count(source.pending))}
        </p>
        {from !== null && (
          <p>{from === 'beginning' ? t.sales.excludedWhole : t.sales.excludedFrom(showDay(dayIn(from, timeZone)))}</p>
        )}
      </div>
      {may('attribution:write') && (
        <details>
          <summary className="cursor-pointer text-accent">
            {t.sales.settingsOf(sourceTitle(source.source, sources))}
          </summary>
          <div className="mt-3">
            <ExclusionForm key={String(from)} profileId={profileId} source={source} timeZone={timeZone} />
          </div>
        </details>
      )}
    </>
  );
}

interface OverlapsProps {
  readonly overlaps: readonly SaleOverlap[];
  readonly sources: readonly SaleSource[];
}

function Overlaps({ overlaps, sources }: OverlapsProps) {
  const compared = overlaps.filter(({ records, never_same_sale: isNever }) => records > 0 || isNever);
  return (
    <section aria-labelledby="overlaps" className="grid gap-3">
      <h2 id="overlaps">{t.sales.overlaps}</h2>
      {compared.length === 0 && <p className="text-soft">{t.sales.noOverlaps}</p>}
      <ul className="grid gap-3 lg:grid-cols-2">
        {compared.map((overlap) => (
          <li key={overlap.sources.join(' ')} className="card grid content-start gap-3 p-5">
            <Overlap overlap={overlap} sources={sources} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Overlap({ overlap, sources }: { readonly overlap: SaleOverlap; readonly sources: readonly SaleSource[] }) {
  const { profileId } = useReportScope().scope;
  const { may } = useMembership();
  const queryClient = useQueryClient();
  const [source, other] = overlap.sources;
  const change = useMutation({
    mutationFn: (isNever: boolean) =>
      clientFor(profileId).updateSaleOverlap({ params: { source, other }, body: { never_same_sale: isNever } }),
    onSettled: () => invalidateFigures(queryClient),
  });
  return (
    <>
      <h3 className="font-semibold">{t.sales.pair(sourceLabel(source, sources), sourceLabel(other, sources))}</h3>
      {/* The decision is stored with the newer source, as on its connection's card. */}
      <OverlapState profileId={profileId} overlap={overlap} source={newerOf(overlap, sources)} sources={sources} />
      {may('attribution:write') && (
        <label className="flex items-start gap-2">
          <input
            type="checkbox"
            className="mt-1"
            checked={overlap.never_same_sale}
            disabled={change.isPending}
            onChange={({ target }) => change.mutate(target.checked)}
          />
          {t.sales.never}
        </label>
      )}
      <Failed error={change.error} />
    </>
  );
}

/** Prefers a connected provider over payments that the shop sends itself. */
const newerOf = ({ sources: [first, second] }: SaleOverlap, sources: readonly SaleSource[]): string =>
  sources.find(({ source, decision }) => decision !== null && (source === first || source === second))?.source ??
  (second.includes(':') ? second : first);
