import { useInfiniteQuery, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { campaignsQuery } from '../campaigns-query.ts';
import { clientFor } from '../client.ts';
import { day, percent, words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Dialog } from '../parts/dialog.tsx';
import { LineForm, TitledField } from '../parts/line-form.tsx';
import { Failed, Page, State } from '../parts/page.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { More } from '../people/more.tsx';
import { entityQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { PlanExperiment } from './plan-experiment.tsx';
import { type Experiment, experimentsQuery } from './queries.ts';

/** Incrementality experiments: planned, running and finished with results. */
export function Experiments() {
  const { profileId } = useReportScope().scope;
  const { may } = useMembership();
  const query = useInfiniteQuery(experimentsQuery(profileId));
  const tests = query.data?.pages.flatMap((page) => page.data);
  return (
    <Page title={t.pages.experiments} about={t.experiments.about}>
      <div className="grid gap-5">
        {may('goals:write') && <PlanExperiment profileId={profileId} />}
        {query.isError ? (
          <Problem error={query.error} again={() => void query.refetch()} />
        ) : !tests ? (
          <Loading />
        ) : tests.length === 0 ? (
          <Empty title={t.experiments.none}>{t.experiments.noneAbout}</Empty>
        ) : (
          <>
            <ul aria-label={t.pages.experiments} className="grid gap-3">
              {tests.map((test) => (
                <li key={test.id} className="card p-5">
                  <One profileId={profileId} test={test} mayWrite={may('goals:write')} />
                </li>
              ))}
            </ul>
            <More query={query} />
          </>
        )}
      </div>
    </Page>
  );
}

const tones = { draft: 'plain', running: 'good', ended: 'good', void: 'bad' } as const;

interface OneProps {
  readonly profileId: string;
  readonly test: Experiment;
  readonly mayWrite: boolean;
}

function One({ profileId, test, mayWrite }: OneProps) {
  const queryClient = useQueryClient();
  const onSuccess = () => queryClient.invalidateQueries({ queryKey: [profileId, 'experiments'] });
  const params = { id: test.id };
  const start = useMutation({ mutationFn: () => clientFor(profileId).startExperiment({ params }), onSuccess });
  const stop = useMutation({ mutationFn: () => clientFor(profileId).stopExperiment({ params }), onSuccess });
  const giveUp = useMutation({
    mutationFn: (reason: string) => clientFor(profileId).voidExperiment({ params, body: { reason } }),
    onSuccess,
  });
  return (
    <div className="flex flex-wrap items-start justify-between gap-4">
      <div className="min-w-0">
        <h2 className="flex flex-wrap items-center gap-2 break-words">
          {test.name} <State tone={tones[test.state]}>{words(test.state)}</State>
        </h2>
        <p className="label">
          {t.experiments.between(words(test.kind), day(test.starts_on), day(test.ends_on))}
          {(test.state === 'draft' || test.state === 'running') &&
            ` ${t.experiments.readableFrom(day(test.readable_from))}`}
        </p>
        <TestedCampaigns ids={test.entity_ids} />
        {test.held_out_regions.length > 0 && (
          <p className="break-words">{t.experiments.offIn(test.held_out_regions.join(', '))}</p>
        )}
        {test.power && (
          <p className={test.power.verdict === 'enough' ? 'label' : 'text-problem'}>
            {t.experiments.power(shareOf(test.power.smallest_effect_pct), shareOf(test.power.expected_effect_pct))}
          </p>
        )}
        {test.readout && (
          <p className="font-semibold">
            {t.experiments.found(
              shareOf(test.readout.lift_pct),
              shareOf(test.readout.low_pct),
              shareOf(test.readout.high_pct),
            )}
          </p>
        )}
        {test.void_reason && <p className="label">{test.void_reason}</p>}
        {(test.state === 'draft' || test.state === 'running') && (
          <Failed error={start.error ?? stop.error ?? giveUp.error} />
        )}
      </div>
      {mayWrite && (
        <div className="flex flex-wrap gap-2">
          {test.state === 'draft' && (
            <button type="button" className="button" disabled={start.isPending} onClick={() => start.mutate()}>
              {t.experiments.start}
            </button>
          )}
          {test.state === 'running' && (
            <button type="button" className="button" disabled={stop.isPending} onClick={() => stop.mutate()}>
              {t.experiments.read}
            </button>
          )}
          {(test.state === 'draft' || test.state === 'running') && (
            <GiveUp name={test.name} isPending={giveUp.isPending} onGiveUp={(reason) => giveUp.mutate(reason)} />
          )}
        </div>
      )}
    </div>
  );
}

/** The names of the tested campaigns. A campaign without activity on the report's dates is missing there and is read separately. */
function TestedCampaigns({ ids }: { readonly ids: readonly string[] }) {
  const { scope, model } = useReportScope();
  const { data } = useQuery(campaignsQuery(scope, 'campaign', model));
  const namesById = new Map(data?.rows.map(({ campaign_id: id, campaign_name: name }) => [id, name]));
  const missing = data ? ids.filter((id) => !namesById.has(id)) : [];
  const read = useQueries({ queries: missing.map((id) => entityQuery(scope, id, 'campaign', model)) });
  const names = [
    ...ids.flatMap((id) => namesById.get(id) ?? []),
    ...read.flatMap((one) => one.data?.campaign_name ?? []),
  ];
  if (names.length === 0) return null;
  return <p className="break-words">{t.experiments.tested(names.join(', '))}</p>;
}

interface GiveUpProps {
  readonly name: string;
  readonly isPending: boolean;
  readonly onGiveUp: (reason: string) => void;
}

function GiveUp({ name, isPending, onGiveUp }: GiveUpProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" disabled={isPending} onClick={() => setIsOpen(true)}>
        {t.experiments.giveUp}
      </button>
      <Dialog title={t.experiments.giveUpAsk(name)} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <LineForm
          onSubmit={(form) => {
            setIsOpen(false);
            onGiveUp(String(new FormData(form).get('reason')));
          }}
        >
          <TitledField title={t.experiments.whyGiveUp}>
            <input className="field w-64" name="reason" required maxLength={200} />
          </TitledField>
          <button type="submit" className="button-main">
            {t.experiments.giveUp}
          </button>
          <button type="button" className="button" onClick={() => setIsOpen(false)}>
            {t.common.cancel}
          </button>
        </LineForm>
      </Dialog>
    </>
  );
}

const shareOf = (pct: number): string => percent(pct / 100);
