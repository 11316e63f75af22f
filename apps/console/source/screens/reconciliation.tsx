import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { dayMs } from '@tributary/vocabulary';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { count, day as dayOf, longDay, money, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { Empty, QueryResult } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import {
  type BookOfDay,
  isQueued,
  type ReconciledDay,
  reconciliationQuery,
  reconciliationsQuery,
  type SourceOfDay,
} from '../reconciliation-queries.ts';
import { useReportScope } from '../report-scope.ts';
import { Differences } from './reconciliation-differences.tsx';

/** Compares providers, ledger and reports: the days of the latest run, each matching or with the number of different rows. */
export function Reconciliation() {
  useTitle(t.pages.reconciliation);
  const { scope } = useReportScope();
  const runs = useQuery(reconciliationsQuery(scope.profileId));
  return (
    <>
      <div className="mb-4 flex flex-wrap items-baseline justify-between gap-4">
        <h1>{t.pages.reconciliation}</h1>
        <CompareNow />
      </div>
      <QueryResult query={runs}>
        {(all) => {
          const latest = all.find(({ state }) => state === 'done');
          return latest ? (
            <Run id={latest.id} />
          ) : (
            <Empty title={t.reconciliation.nothing}>{t.reconciliation.everyNight}</Empty>
          );
        }}
      </QueryResult>
    </>
  );
}

/** Compares the selected dates immediately. */
function CompareNow() {
  const { scope } = useReportScope();
  const queryClient = useQueryClient();
  const { data: runs } = useQuery(reconciliationsQuery(scope.profileId));
  // Before the first response, a refetch would join the running request and miss the new run.
  const isWaiting = runs?.some(isQueued) ?? false;
  const ask = useMutation({
    mutationFn: () =>
      clientFor(scope.profileId).createReconciliation({ body: { date_from: scope.from, date_to: scope.to } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [scope.profileId, 'reconciliations'] }),
  });
  return (
    <button
      type="button"
      className="button"
      disabled={runs === undefined || ask.isPending || isWaiting}
      onClick={() => ask.mutate()}
    >
      {isWaiting ? t.reconciliation.asked : t.reconciliation.compareNow}
    </button>
  );
}

function Run({ id }: { readonly id: string }) {
  const { scope } = useReportScope();
  const query = useQuery(reconciliationQuery(scope.profileId, id));
  const [chosen, choose] = useState<string>();
  return (
    <QueryResult query={query}>
      {({ days, books, differences, pending, unread, date_from: from, date_to: to }) => (
        <div className="grid gap-6">
          <p>
            {t.common.fromTo(longDay(from), longDay(to))}:{' '}
            {differences === 0 ? t.reconciliation.right : t.reconciliation.differing(count(differences))}
            {pending > 0 && t.reconciliation.pending(count(pending))}.
            {unread.map(({ connection_id, channel, reason }) => (
              <span key={connection_id} className="block text-soft">
                {t.reconciliation.unread(words(channel), words(reason))}
              </span>
            ))}
          </p>
          <Calendar days={days} chosen={chosen} choose={choose} />
          {days
            .filter(({ day }) => day === chosen)
            .map((day) => (
              <Day key={day.day} day={day} compared={books} />
            ))}
          {differences > 0 && <Differences id={id} />}
        </div>
      )}
    </QueryResult>
  );
}

interface CalendarProps {
  readonly days: readonly ReconciledDay[];
  readonly chosen: string | undefined;
  readonly choose: (day: string) => void;
}

/** A calendar with weeks as rows, starting on Monday. Days without data are missing, so each day is placed by its date. */
function Calendar({ days, chosen, choose }: CalendarProps) {
  const dates = days.map(({ day }) => Date.parse(`${day}T00:00:00Z`) / dayMs);
  // 1 January 1970 was a Thursday.
  const mondays = dates.map((date) => date - ((date + 3) % 7));
  return (
    <ul aria-label={t.days.days} className="grid grid-cols-7 gap-1">
      {days.map((day, index) => (
        <li
          key={day.day}
          style={{
            gridColumnStart: (((dates[index] ?? 0) + 3) % 7) + 1,
            gridRowStart: ((mondays[index] ?? 0) - (mondays[0] ?? 0)) / 7 + 1,
          }}
        >
          <button
            type="button"
            aria-pressed={chosen === day.day}
            onClick={() => choose(day.day)}
            className={`w-full border p-1 text-center ${day.differences > 0 ? 'border-problem text-problem' : 'border-line'}`}
          >
            {dayOf(day.day)}
            <span className="label block">
              {day.differences === 0 ? t.reconciliation.dayRight : t.reconciliation.dayDiffers(count(day.differences))}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Day({ day, compared }: { readonly day: ReconciledDay; readonly compared: readonly BookOfDay['book'][] }) {
  return (
    <section className="card p-5" aria-label={day.day}>
      <h2>{longDay(day.day)}</h2>
      <dl className="grid gap-3">
        {compared.map((book) => (
          <div key={book}>
            <dt className="label">{t.reconciliation.books[book]}</dt>
            {day.books
              .filter((one) => one.book === book)
              .map((one) => (
                <dd key={`${one.channel} ${one.currency}`}>
                  {one.channel && `${words(one.channel)}: `}
                  {Object.entries(t.reconciliation.sides)
                    .flatMap(([side, name]) => {
                      const figures = one[side as keyof typeof t.reconciliation.sides];
                      if (!figures) return [];
                      const rows = figures.count === null ? '' : `${t.reconciliation.countOf(count(figures.count))} `;
                      return [`${rows}${money(figures.value, one.currency)} ${name}`];
                    })
                    .join(', ')}
                  {one.differences > 0 && (
                    <span className="text-problem"> {t.reconciliation.dayDiffers(count(one.differences))}</span>
                  )}
                </dd>
              ))}
            {day.books.every((one) => one.book !== book) && (
              <dd>{book === 'reports' ? t.reconciliation.addsUp : t.reconciliation.nothingToCompare}</dd>
            )}
          </div>
        ))}
        {day.sources.length > 0 && (
          <div>
            <dt className="label">{t.reconciliation.sources}</dt>
            {day.sources.map((source) => (
              <dd key={`${source.source} ${source.connection_id} ${source.currency}`}>{describeSource(source)}</dd>
            ))}
          </div>
        )}
      </dl>
    </section>
  );
}

const subtracted = ['duplicates', 'excluded', 'pending'] as const;

/** "Stripe: 22 counted (US$1,200) = 24 reported (US$1,300) − 2 duplicates (US$100)". */
function describeSource(of: SourceOfDay): string {
  const { ownSources, parts } = t.reconciliation;
  const part = (name: keyof typeof parts) =>
    `${parts[name](count(of[name].count))} (${money(of[name].value, of.currency)})`;
  const less = subtracted.filter((name) => of[name].count > 0).map((name) => ` − ${part(name)}`);
  const name = ownSources[of.source as keyof typeof ownSources] ?? words(of.source);
  return `${name}: ${part('counted')} = ${part('records')}${less.join('')}`;
}
