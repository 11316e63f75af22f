import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { ago, count, day, percent, ratio, words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Choice } from '../parts/choice.tsx';
import type { Column } from '../parts/columns.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Failed, Page, State } from '../parts/page.tsx';
import { Empty, QueryResult } from '../parts/states.tsx';
import { useReportScope } from '../report-scope.ts';
import { Advice } from './advice.tsx';
import { Estimates } from './estimates.tsx';
import { type FittedModel, isUnderWay, type Models as ModelsData, modelsQuery } from './queries.ts';

/** The incremental effect of ads according to models fitted to the profile's data, and how wrong each model is known to be. */
export function Models() {
  const { profileId } = useReportScope().scope;
  const models = useQuery(modelsQuery(profileId));
  return (
    <Page title={t.pages.models} about={t.causes.about} actions={<FitNow profileId={profileId} fitted={models.data} />}>
      <QueryResult query={models}>{(fitted) => <ModelDetails profileId={profileId} fitted={fitted} />}</QueryResult>
    </Page>
  );
}

function ModelDetails({ profileId, fitted }: { readonly profileId: string; readonly fitted: ModelsData }) {
  const [model, setModel] = useState<FittedModel>('data_driven');
  const chosen = fitted.models.find((one) => one.model === model);
  return (
    <div className="grid gap-6">
      <FitState fitted={fitted} />
      <div className="flex flex-wrap items-center gap-4">
        <Choice
          label={t.models.model}
          value={model}
          options={fitted.models.map((one) => ({ value: one.model, title: words(one.model) }))}
          onChange={setModel}
        />
        <p className="label max-w-prose">{t.causes.models[model]}</p>
      </div>
      {chosen?.refusal ? (
        <Empty title={t.causes.noFigure}>{t.causes.refusals[chosen.refusal]}</Empty>
      ) : (
        <Estimates model={model} />
      )}
      <Advice profileId={profileId} />
      <Errors errors={fitted.errors} />
    </div>
  );
}

function FitState({ fitted: { latest_fit: latest, served_fit: served } }: { readonly fitted: ModelsData }) {
  if (!latest) return null;
  return (
    <section className="card flex flex-wrap items-center gap-3 p-5" aria-label={t.causes.fit}>
      <State tone={latest.state === 'failed' || latest.state === 'refused' ? 'bad' : 'plain'}>
        {words(latest.state)}
      </State>
      {latest.reason && <span>{t.causes.refusals[latest.reason]}</span>}
      {served && (
        <span className="label">
          {t.causes.fitted(
            ago(served.finished_at ?? served.requested_at),
            count(served.purchases),
            count(served.people),
            percent((served.seen_pct ?? 0) / 100),
          )}
        </span>
      )}
    </section>
  );
}

function FitNow({ profileId, fitted }: { readonly profileId: string; readonly fitted: ModelsData | undefined }) {
  const { may } = useMembership();
  const queryClient = useQueryClient();
  const fit = useMutation({
    mutationFn: () => clientFor(profileId).createModelFit({}),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [profileId, 'models'] }),
  });
  if (!may('attribution:write')) return null;
  return (
    <div>
      <button
        type="button"
        className="button"
        // Before the first response, a refetch would join the running request and miss the new fit.
        disabled={fitted === undefined || fit.isPending || isUnderWay(fitted.latest_fit?.state)}
        onClick={() => fit.mutate()}
      >
        {t.causes.fitNow}
      </button>
      <Failed error={fit.error} />
    </div>
  );
}

type ErrorRow = ModelsData['errors']['rows'][number];

function Errors({ errors }: { readonly errors: ModelsData['errors'] }) {
  return (
    <section aria-labelledby="errors">
      <h2 id="errors">{t.causes.howWrong}</h2>
      <p className="label mb-2 max-w-prose">
        {t.causes.howWrongAbout(day(errors.measured_on), count(errors.people_of_a_market))}
      </p>
      <DataTable caption={t.causes.howWrong} columns={errorColumns} rows={errors.rows} keyOf={({ model }) => model} />
    </section>
  );
}

const errorColumns: Column<ErrorRow>[] = [
  { id: 'model', title: t.models.model, value: ({ model }) => model, cell: ({ model }) => words(model) },
  ...(
    [
      ['unseen', t.causes.unseen],
      ['to_last_touch', t.causes.toLastTouch],
      ['worst_to_last_touch', t.causes.worst],
    ] as const
  ).map(
    ([id, title]): Column<ErrorRow> => ({
      id,
      title,
      isNumber: true,
      value: (row) => row[id],
      cell: (row) => ratio(row[id]),
    }),
  ),
];
