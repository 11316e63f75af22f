import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { count, day as dayOf, longDay, money, words } from '../format.ts';
import { Answered, Empty } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { usePlace } from '../place.ts';
import {
  differencesQuery,
  type ReconciledDay,
  reconciliationQuery,
  reconciliationsQuery,
} from '../reconciliation-queries.ts';
import { say } from '../words/index.ts';

/** Whether reports say what was recorded: the days of the latest run, each right or with the number of rows that differ. */
export function Reconciliation() {
  useTitle(say.pages.reconciliation);
  const { place } = usePlace();
  const runs = useQuery(reconciliationsQuery(place.profileId));
  return (
    <>
      <div className="mb-4 flex flex-wrap items-baseline justify-between gap-4">
        <h1>{say.pages.reconciliation}</h1>
        <CompareNow />
      </div>
      <Answered query={runs}>
        {(all) => {
          const latest = all.find(({ state }) => state === 'done');
          return latest ? (
            <Run id={latest.id} />
          ) : (
            <Empty title={say.reconciliation.nothing}>{say.reconciliation.everyNight}</Empty>
          );
        }}
      </Answered>
    </>
  );
}

/** The days that are chosen, at once. */
function CompareNow() {
  const { place } = usePlace();
  const queryClient = useQueryClient();
  const ask = useMutation({
    mutationFn: () =>
      clientFor(place.profileId).createReconciliation({ body: { date_from: place.from, date_to: place.to } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [place.profileId, 'reconciliations'] }),
  });
  return (
    <button type="button" className="button" disabled={ask.isPending} onClick={() => ask.mutate()}>
      {ask.isSuccess ? say.reconciliation.asked : say.reconciliation.compareNow}
    </button>
  );
}

function Run({ id }: { readonly id: string }) {
  const { place } = usePlace();
  const query = useQuery(reconciliationQuery(place.profileId, id));
  const [chosen, choose] = useState<string>();
  return (
    <Answered query={query}>
      {({ days, currency, differences, pending, date_from: from, date_to: to }) => (
        <div className="grid gap-6">
          <p>
            {say.common.fromTo(longDay(from), longDay(to))}:{' '}
            {differences === 0 ? say.reconciliation.right : say.reconciliation.differing(count(differences))}
            {pending > 0 && say.reconciliation.pending(count(pending))}.
          </p>
          <ul aria-label={say.days.days} className="grid grid-cols-7 gap-1 sm:grid-cols-14">
            {days.map((day) => (
              <li key={day.day}>
                <button
                  type="button"
                  aria-pressed={chosen === day.day}
                  onClick={() => choose(day.day)}
                  className={`w-full border p-1 text-center ${day.differences > 0 ? 'border-problem text-problem' : 'border-line'}`}
                >
                  {dayOf(day.day)}
                  <span className="label block">
                    {day.differences === 0
                      ? say.reconciliation.dayRight
                      : say.reconciliation.dayDiffers(count(day.differences))}
                  </span>
                </button>
              </li>
            ))}
          </ul>
          {days
            .filter(({ day }) => day === chosen)
            .map((day) => (
              <Day key={day.day} day={day} currency={currency ?? ''} />
            ))}
          {differences > 0 && <Differences id={id} currency={currency ?? ''} />}
        </div>
      )}
    </Answered>
  );
}

function Day({ day, currency }: { readonly day: ReconciledDay; readonly currency: string }) {
  return (
    <section className="card p-5" aria-label={day.day}>
      <h2>{longDay(day.day)}</h2>
      <p>{say.reconciliation.recorded(count(day.ledger.conversions), money(day.ledger.value, currency))}</p>
      <p>{say.reconciliation.inReports(count(day.columns.conversions), money(day.columns.value, currency))}</p>
    </section>
  );
}

function Differences({ id, currency }: { readonly id: string; readonly currency: string }) {
  const { place } = usePlace();
  const query = useQuery(differencesQuery(place.profileId, id));
  return (
    <Answered query={query}>
      {(rows) => (
        <section aria-labelledby="differences" className="card p-5">
          <h2 id="differences">{say.reconciliation.whatDiffers}</h2>
          <ul className="divide-y divide-line">
            {rows.map((row) => (
              <li key={row.number} className="py-1.5">
                {say.reconciliation.rowRecorded(words(row.kind), row.day)}{' '}
                {row.in_ledger === null ? say.reconciliation.nothingThere : money(row.in_ledger, currency)}
                {say.reconciliation.rowReported}{' '}
                {row.in_columns === null ? say.reconciliation.nothingThere : money(row.in_columns, currency)}
                <span className="label block break-all">{row.conversion_id}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Answered>
  );
}
