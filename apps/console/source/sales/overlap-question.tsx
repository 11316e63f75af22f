import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { clientFor } from '../client.ts';
import type { Connection } from '../data/queries.ts';
import { count } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Failed } from '../parts/page.tsx';
import { useReportScope } from '../report-scope.ts';
import { invalidateFigures, type SaleOverlap, type SaleSource, saleSourcesQuery } from './queries.ts';
import { sourceTitle } from './source-title.ts';

interface OverlapQuestionProps {
  readonly profileId: string;
  readonly connection: Connection;
}

/** On a connection's card: asks once how to count payments that another source reports too, and shows the current rule. */
export function OverlapQuestion({ profileId, connection }: OverlapQuestionProps) {
  const { may } = useMembership();
  const { state, last_success_at: syncedAt } = connection.sync;
  const isSyncing = state === 'running' || state === 'queued';
  const { data, refetch } = useQuery({
    ...saleSourcesQuery(profileId),
    enabled: may('commerce:read'),
    ...(isSyncing && { refetchInterval: 3_000 }),
  });
  // Overlaps are measured right after a sync, so they are refetched then.
  const before = useRef(syncedAt);
  useEffect(() => {
    if (before.current === syncedAt) return;
    before.current = syncedAt;
    const timer = setTimeout(() => void refetch(), 2_000);
    return () => clearTimeout(timer);
  }, [syncedAt, refetch]);
  const source = data?.sources.find(({ connection_id: id }) => id === connection.id)?.source;
  const overlaps = data?.overlaps.filter(
    ({ sources, is_systematic: isSystematic, never_same_sale: isNever }) =>
      isSystematic && !isNever && source && sources.includes(source),
  );
  if (!data || !source || !overlaps?.length) return null;
  return (
    <section aria-label={t.sales.matches} className="grid gap-3 rounded-md bg-tint p-3">
      {overlaps.map((overlap) => (
        <OverlapState
          key={overlap.sources.join(' ')}
          profileId={profileId}
          overlap={overlap}
          source={source}
          sources={data.sources}
        />
      ))}
    </section>
  );
}

interface OverlapStateProps {
  readonly profileId: string;
  readonly overlap: SaleOverlap;
  /** The source whose decision answers the question. */
  readonly source: string;
  readonly sources: readonly SaleSource[];
}

/** How many payments match, how they currently count, and the buttons to decide. */
export function OverlapState({ profileId, overlap, source, sources }: OverlapStateProps) {
  const { linkSearch } = useReportScope();
  const { may } = useMembership();
  const [isChanging, setChanging] = useState(false);
  const queryClient = useQueryClient();
  const decide = useMutation({
    mutationFn: (decision: 'count_once' | 'count_both') =>
      clientFor(profileId).updateSaleSource({ params: { source }, body: { decision } }),
    onSuccess: () => setChanging(false),
    onSettled: () => invalidateFigures(queryClient),
  });
  const [first, second] = overlap.sources;
  const other = first === source ? second : first;
  const { needs_answer: isOpen, is_systematic: isSystematic, never_same_sale: isNever } = overlap;
  // For sources with many payments, older ones are not part of the counts.
  const own = sources.find((one) => one.source === source);
  const isAsking = isOpen || isChanging;
  return (
    <div className="grid gap-2">
      <p>
        {t.sales.overlap(
          count(overlap.partners),
          count(own?.has_more ? overlap.records : own?.records),
          sourceTitle(source, sources),
          sourceTitle(other, sources),
        )}{' '}
        {isOpen && <strong>{t.sales.question}</strong>}
      </p>
      <p className="label">{(isOpen ? untilAnswered : applied)[overlap.applies]}</p>
      <div className="flex flex-wrap gap-2">
        {isSystematic && !isNever && isAsking && may('attribution:write') && (
          <>
            <button
              type="button"
              className="button-main"
              disabled={decide.isPending}
              onClick={() => decide.mutate('count_once')}
            >
              {t.sales.once}
            </button>
            <button
              type="button"
              className="button"
              disabled={decide.isPending}
              onClick={() => decide.mutate('count_both')}
            >
              {t.sales.both}
            </button>
          </>
        )}
        {isSystematic && !isNever && !isAsking && may('attribution:write') && (
          <button type="button" className="button" onClick={() => setChanging(true)}>
            {t.sales.change}
          </button>
        )}
        <Link
          to="/p/$profileId/payment-matches"
          params={{ profileId }}
          search={{ ...linkSearch, source, other }}
          className="button"
        >
          {t.sales.review}
        </Link>
      </div>
      <Failed error={decide.error} />
    </div>
  );
}

const untilAnswered: Readonly<Record<SaleOverlap['applies'], string>> = {
  count_once: t.sales.onceUntil,
  count_both: t.sales.bothUntil,
  certain_only: t.sales.certainUntil,
};
const applied: Readonly<Record<SaleOverlap['applies'], string>> = {
  count_once: t.sales.nowOnce,
  count_both: t.sales.nowBoth,
  certain_only: t.sales.nowCertain,
};
