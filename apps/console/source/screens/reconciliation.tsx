import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { count, money, words } from '../format.ts';
import { Answered, Empty } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { usePlace } from '../place.ts';
import { differencesQuery, type ReconciledDay, reconciliationQuery, reconciliationsQuery } from '../queries.ts';

/** Whether reports say what was recorded: the days of the latest run, each right or with the number of rows that differ. */
export function Reconciliation() {
  useTitle('Reconciliation');
  const { place } = usePlace();
  const runs = useQuery(reconciliationsQuery(place.profileId));
  return (
    <>
      <div className="mb-4 flex flex-wrap items-baseline justify-between gap-4">
        <h1>Reconciliation</h1>
        <CompareNow />
      </div>
      <Answered query={runs}>
        {(all) => {
          const latest = all.find(({ state }) => state === 'done');
          return latest ? (
            <Run id={latest.id} />
          ) : (
            <Empty title="Nothing was compared yet">Every night the last 35 days are, without asking.</Empty>
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
      {ask.isSuccess ? 'Asked for' : 'Compare these days now'}
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
            {from} to {to}:{' '}
            {differences === 0 ? 'reports say what was recorded' : `${count(differences)} conversions differ`}
            {pending > 0 && `; ${count(pending)} are just being worked out`}.
          </p>
          <ul aria-label="Days" className="grid grid-cols-7 gap-1 sm:grid-cols-14">
            {days.map((day) => (
              <li key={day.day}>
                <button
                  type="button"
                  aria-pressed={chosen === day.day}
                  onClick={() => choose(day.day)}
                  className={`w-full border p-1 text-center ${day.differences > 0 ? 'border-problem text-problem' : 'border-line'}`}
                >
                  {day.day.slice(5)}
                  <span className="label block">
                    {day.differences === 0 ? 'right' : `${count(day.differences)} differ`}
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
      <h2>{day.day}</h2>
      <p>
        Recorded: {count(day.ledger.conversions)} conversions, {money(day.ledger.value, currency)}
      </p>
      <p>
        In reports: {count(day.columns.conversions)} conversions, {money(day.columns.value, currency)}
      </p>
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
          <h2 id="differences">What differs</h2>
          <ul className="divide-y divide-line">
            {rows.map((row) => (
              <li key={row.number} className="py-1.5">
                {words(row.kind)}, {row.day}: recorded{' '}
                {row.in_ledger === null ? 'nothing' : money(row.in_ledger, currency)}, in reports{' '}
                {row.in_columns === null ? 'nothing' : money(row.in_columns, currency)}
                <span className="label block break-all">{row.conversion_id}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Answered>
  );
}
