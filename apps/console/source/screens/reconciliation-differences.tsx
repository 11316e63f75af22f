import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type DifferenceKind, differenceKinds } from '@tributary/vocabulary';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { count, longDay, money, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { QueryResult } from '../parts/states.tsx';
import { type Difference, differencesQuery } from '../reconciliation-queries.ts';
import { useReportScope } from '../report-scope.ts';

/** The first page of differences by kind: what each means, and how to resolve it. */
export function Differences({ id }: { readonly id: string }) {
  const { scope } = useReportScope();
  const query = useQuery(differencesQuery(scope.profileId, id));
  return (
    <QueryResult query={query}>
      {(rows) => (
        <section aria-labelledby="differences" className="card grid gap-5 p-5">
          <h2 id="differences">{t.reconciliation.whatDiffers}</h2>
          {[...Map.groupBy(rows, ({ kind }) => kind)].map(([kind, of]) => (
            <section key={kind} aria-label={words(kind)}>
              <h3>{words(kind)}</h3>
              <p className="text-soft">{t.reconciliation.kinds[kind]}</p>
              {differenceKinds[kind].repair !== 'none' && <Repair id={id} kind={kind} />}
              <ul className="divide-y divide-line">
                {of.map((row) => (
                  <Row key={row.number} id={id} row={row} />
                ))}
              </ul>
            </section>
          ))}
        </section>
      )}
    </QueryResult>
  );
}

/** Previews the repair before applying it. */
function Repair({ id, kind }: { readonly id: string; readonly kind: DifferenceKind }) {
  const { scope } = useReportScope();
  const queryClient = useQueryClient();
  const repair = useMutation({
    mutationFn: (isDry: boolean) =>
      clientFor(scope.profileId).repairReconciliation({
        params: { reconciliation_id: id },
        query: { dry_run: isDry ? 'true' : 'false' },
        body: { kinds: [kind] },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [scope.profileId, 'reconciliations'] }),
  });
  const result = repair.data?.data;
  const amount = result && t.reconciliation.amount(count(result.conversions), count(result.connections));
  return (
    <p className="flex flex-wrap items-baseline gap-3 py-1">
      <button type="button" className="button" disabled={repair.isPending} onClick={() => repair.mutate(true)}>
        {t.reconciliation.whatRepair}
      </button>
      {result?.outcome === 'dry_run' && (
        <>
          <span>{t.reconciliation.wouldRepair(amount ?? '')}</span>
          <button type="button" className="button" disabled={repair.isPending} onClick={() => repair.mutate(false)}>
            {t.reconciliation.repair}
          </button>
        </>
      )}
      {result?.outcome === 'applied' && <span role="status">{t.reconciliation.onTheWay(amount ?? '')}</span>}
      {result?.outcome === 'no_change' && <span role="status">{t.reconciliation.nothingLeft}</span>}
      {repair.isError && <span role="alert">{t.reconciliation.failed}</span>}
    </p>
  );
}

type Side = keyof typeof t.reconciliation.sides;

/** The sides that a kind compares; one of them may have no value. */
const sidesOf: Record<Difference['book'], readonly Side[]> = {
  providers: ['at_provider', 'in_ledger'],
  columns: ['in_ledger', 'in_columns'],
  reports: ['in_columns', 'in_reports'],
  ad_accounts: ['at_provider', 'in_columns'],
};

function Row({ id, row }: { readonly id: string; readonly row: Difference }) {
  const about = [row.channel, row.level, row.model].flatMap((name) => (name === null ? [] : [words(name)]));
  return (
    <li className="py-1.5">
      {[longDay(row.day), ...about].join(', ')}:{' '}
      {sidesOf[row.book]
        .map((side) => {
          const amount = row[side];
          return `${t.reconciliation.sides[side]} ${amount === null ? t.reconciliation.nothingThere : money(amount, row.currency ?? '')}`;
        })
        .join(', ')}
      <span className="label block break-all">{row.external_id ?? row.conversion_id}</span>
      {row.state === 'explained' ? (
        <span className="text-soft">{t.reconciliation.explained(row.note ?? '')}</span>
      ) : (
        <Explain id={id} number={row.number} />
      )}
    </li>
  );
}

/** The other side may be wrong: explaining a difference hides it from later runs. */
function Explain({ id, number }: { readonly id: string; readonly number: number }) {
  const { scope } = useReportScope();
  const queryClient = useQueryClient();
  const [note, setNote] = useState('');
  const [isOpen, open] = useState(false);
  const explain = useMutation({
    mutationFn: () =>
      clientFor(scope.profileId).explainDifference({
        params: { reconciliation_id: id, number: String(number) },
        body: { note },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [scope.profileId, 'reconciliations'] }),
  });
  if (!isOpen)
    return (
      <button type="button" className="underline" onClick={() => open(true)}>
        {t.reconciliation.explain}
      </button>
    );
  return (
    <form
      className="flex flex-wrap gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        explain.mutate();
      }}
    >
      <input
        aria-label={t.reconciliation.whyDiffers}
        className="field"
        required
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <button type="submit" className="button" disabled={explain.isPending}>
        {t.views.keep}
      </button>
      {explain.isError && <span role="alert">{t.reconciliation.failed}</span>}
    </form>
  );
}
