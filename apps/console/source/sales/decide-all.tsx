import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { RequestOf, Routes } from '@tributary/sdk';
import { clientFor } from '../client.ts';
import { count } from '../format.ts';
import { t } from '../messages/index.ts';
import { Failed } from '../parts/page.tsx';
import type { MatchSearch } from '../search.ts';
import { invalidateFigures, type SaleSource } from './queries.ts';
import { sourceTitle } from './source-title.ts';

type Body = RequestOf<Routes['decideSaleMatches']>['body'];

interface DecideAllProps {
  readonly profileId: string;
  readonly search: MatchSearch;
  readonly sources: readonly SaleSource[];
}

/** Decides all matches of the filtered kind: first a preview with the number of matches, then the decision, then undo. */
export function DecideAll({ profileId, search, sources }: DecideAllProps) {
  const { state, source, other, certain } = search;
  const isDecided = state === 'confirmed' || state === 'rejected';
  if (isDecided) return null;
  if (!source || !other || !state) return <p className="label">{t.sales.allAbout}</p>;
  const kind = {
    source,
    other_source: other,
    state,
    ...(certain && { is_certain: certain === 'true' }),
  } as const;
  return (
    <section aria-label={t.sales.all} className="card grid gap-2 p-4">
      <p>{t.sales.allFor(sourceTitle(source, sources), sourceTitle(other, sources))}</p>
      {/* The key resets the preview when the filters change. */}
      <Decisions key={JSON.stringify(kind)} profileId={profileId} kind={kind} />
    </section>
  );
}

function Decisions({ profileId, kind }: { readonly profileId: string; readonly kind: Omit<Body, 'decision'> }) {
  const queryClient = useQueryClient();
  const client = clientFor(profileId);
  const decide = (decision: Body['decision'], dryRun: 'true' | 'false') =>
    client.decideSaleMatches({ query: { dry_run: dryRun }, body: { ...kind, decision } });
  const preview = useMutation({
    mutationFn: async (decision: Body['decision']) => (await decide(decision, 'true')).data,
  });
  const apply = useMutation({
    mutationFn: async (decision: Body['decision']) => (await decide(decision, 'false')).data,
    onSuccess: () => {
      preview.reset();
      undo.reset();
    },
    onSettled: () => invalidateFigures(queryClient),
  });
  const undo = useMutation({
    mutationFn: async (id: string) => (await client.undoSaleMatches({ params: { id } })).data,
    onSuccess: () => apply.reset(),
    onSettled: () => invalidateFigures(queryClient),
  });
  const isPending = preview.isPending || apply.isPending || undo.isPending;
  const wanted = preview.data;
  const done = apply.data;
  return (
    <>
      {!wanted && (
        <div className="flex flex-wrap gap-2">
          <button type="button" className="button" disabled={isPending} onClick={() => preview.mutate('confirmed')}>
            {t.sales.previewConfirm}
          </button>
          <button type="button" className="button" disabled={isPending} onClick={() => preview.mutate('rejected')}>
            {t.sales.previewReject}
          </button>
        </div>
      )}
      {wanted && (
        <div role="status" className="grid gap-2">
          <p>
            {wanted.matches === 0
              ? t.sales.nothingToDecide
              : (wanted.decision === 'confirmed' ? t.sales.wouldConfirm : t.sales.wouldReject)(
                  count(wanted.matches),
                )}{' '}
            {wanted.skipped > 0 && t.sales.skipped(count(wanted.skipped))} {wanted.has_more && t.sales.more}
          </p>
          <div className="flex flex-wrap gap-2">
            {wanted.matches > 0 && (
              <button
                type="button"
                className="button-main"
                disabled={isPending}
                onClick={() => apply.mutate(wanted.decision)}
              >
                {(wanted.decision === 'confirmed' ? t.sales.doConfirm : t.sales.doReject)(count(wanted.matches))}
              </button>
            )}
            <button type="button" className="button" disabled={isPending} onClick={() => preview.reset()}>
              {t.common.cancel}
            </button>
          </div>
        </div>
      )}
      {done && (
        <p role="status" className="flex flex-wrap items-center gap-3">
          {(done.decision === 'confirmed' ? t.sales.didConfirm : t.sales.didReject)(count(done.matches))}
          {done.id && (
            <button
              type="button"
              className="button"
              disabled={isPending}
              onClick={() => done.id && undo.mutate(done.id)}
            >
              {t.sales.undoAll}
            </button>
          )}
        </p>
      )}
      {undo.data && <p role="status">{t.sales.undone(count(undo.data.matches))}</p>}
      <Failed error={preview.error ?? apply.error ?? undo.error} />
    </>
  );
}
