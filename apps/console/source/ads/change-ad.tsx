import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { count, money, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { Failed } from '../parts/page.tsx';
import { Loading } from '../parts/states.tsx';
import { useReportScope } from '../report-scope.ts';
import { type AdChange, change, undo } from './queries.ts';

interface ChangeAdProps {
  readonly level: 'campaign' | 'ad';
  /** The platform's id. */
  readonly externalId: string;
  readonly name: string;
  readonly to: 'pause' | 'resume';
}

/** Previews a pause or resume with a dry run at the platform, then applies it and offers to undo it. */
export function ChangeAd({ level, externalId, name, to }: ChangeAdProps) {
  const { profileId } = useReportScope().scope;
  const queryClient = useQueryClient();
  // One key per press, reused by retries, so that a press changes the platform at most once.
  const keys = useRef({ doing: crypto.randomUUID(), undoing: crypto.randomUUID() });
  const what = { level, id: externalId, to };
  const tried = useQuery({
    queryKey: [profileId, 'dry run', level, externalId, to],
    queryFn: () => change(profileId, what, true, crypto.randomUUID()),
    gcTime: 0,
    staleTime: 0,
  });
  const changed = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: [profileId, 'ad actions'] }),
      queryClient.invalidateQueries({ queryKey: ['campaigns', profileId] }),
    ]);
  const act = useMutation({ mutationFn: () => change(profileId, what, false, keys.current.doing), onSuccess: changed });
  const back = useMutation({
    mutationFn: (made: NonNullable<AdChange['undo']>) => undo(profileId, made, false, keys.current.undoing),
    onSuccess: changed,
  });
  if (tried.isError) return <Failed error={tried.error} />;
  if (!tried.data) return <Loading lines={2} />;
  if (back.isSuccess) return <p role="status">{t.ads.takenBack(stateOf(back.data.after))}</p>;
  if (act.isSuccess)
    return (
      <div role="status" className="flex flex-wrap items-center gap-3">
        <span>{t.ads.changed(name, stateOf(act.data.before), stateOf(act.data.after))}</span>
        {act.data.undo && (
          <button
            type="button"
            className="button"
            disabled={back.isPending}
            onClick={() => act.data.undo && back.mutate(act.data.undo)}
          >
            {t.common.undo}
          </button>
        )}
        <Failed error={back.error} />
      </div>
    );
  const { affected_ads_count: ads, may_restart_learning: mayRestart, before, after } = tried.data;
  return (
    <div className="grid gap-2">
      <p>
        {t.ads.tried(name, stateOf(before), stateOf(after))}
        {level === 'campaign' && t.ads.withRunning(ads, count(ads))}.{mayRestart && ` ${t.ads.mayRestart}`}
      </p>
      <div>
        <button type="button" className="button-main" disabled={act.isPending} onClick={() => act.mutate()}>
          {to === 'pause' ? t.ads.pauseNow : t.ads.resumeNow}
        </button>
      </div>
      <Failed error={act.error} />
    </div>
  );
}

export const stateOf = ({ status, daily_budget: budget, currency }: AdChange['before']): string =>
  [words(status.toLowerCase()).toLowerCase(), budget && t.ads.aDay(money(budget, currency))].filter(Boolean).join(', ');
