import { useMutation, useQueryClient } from '@tanstack/react-query';
import { clientFor } from '../client.ts';
import { count, localMoment, moment, money, words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { ConversionLink } from '../parts/conversion-link.tsx';
import { Failed, State } from '../parts/page.tsx';
import { useReportScope } from '../report-scope.ts';
import { invalidateFigures, type SaleMatch, type SaleSource } from './queries.ts';
import { sourceLabel } from './source-title.ts';

interface MatchRowProps {
  readonly match: SaleMatch;
  readonly sources: readonly SaleSource[];
  readonly timeZone: string;
}

/** Two payments, why they match, which of them counts, and the buttons to decide. */
export function MatchRow({ match, sources, timeZone }: MatchRowProps) {
  const { may } = useMembership();
  return (
    <li className="grid gap-3 px-5 py-3 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_minmax(0,1.2fr)]">
      {match.records.map((record) => (
        <Record key={record.id} record={record} sources={sources} timeZone={timeZone} />
      ))}
      <div className="grid content-start gap-2">
        <p className="flex flex-wrap items-center gap-2">
          <State tone={tones[match.state]}>{t.sales.states[match.state]}</State>
          <span className="label">{match.is_certain ? t.sales.certain : t.sales.likely}</span>
          {match.is_pending && <span className="label">{t.sales.applying}</span>}
        </p>
        <p className="label">
          {evidenceOf(match)}
          {match.decision && (
            <span className="block">
              {t.sales.decided(t.sales.states[match.decision.decision], localMoment(match.decision.decided_at))}
            </span>
          )}
        </p>
        {may('attribution:write') && <Decision match={match} sources={sources} />}
      </div>
    </li>
  );
}

const tones = { automatic: 'good', confirmed: 'good', suggested: 'bad', rejected: 'plain' } as const;

function Record({
  record,
  sources,
  timeZone,
}: Omit<MatchRowProps, 'match'> & { readonly record: SaleMatch['records'][number] }) {
  const { not_counted_because: reason } = record;
  return (
    <div className="min-w-0">
      <p className="flex flex-wrap items-center gap-x-3">
        <span className="font-semibold">{sourceLabel(record.source, sources)}</span>
        <span className="number">{money(record.amount, record.currency)}</span>
      </p>
      <p className="label break-all">
        <ConversionLink conversionId={record.id} className="underline">
          {record.external_id}
        </ConversionLink>{' '}
        · {moment(record.paid_at, timeZone)}
      </p>
      <p className="mt-1">
        <State tone={record.counted ? 'good' : 'plain'}>{record.counted ? t.sales.counted : t.sales.notCounted}</State>
        {reason && reason !== 'duplicate' && <span className="label block">{t.sales.reasons[reason]}</span>}
      </p>
    </div>
  );
}

function evidenceOf({ evidence, reference, seconds_apart: seconds }: SaleMatch): string {
  const apart =
    seconds < 60
      ? t.sales.seconds(count(Math.round(seconds)))
      : seconds < 3_600
        ? t.sales.minutes(count(Math.round(seconds / 60)))
        : t.sales.hours(count(Math.round(seconds / 3_600)));
  return evidence === 'reference'
    ? t.sales.evidence.reference(reference ?? words('unknown'), apart)
    : t.sales.evidence[evidence](apart);
}

function Decision({ match, sources }: Omit<MatchRowProps, 'timeZone'>) {
  const { profileId } = useReportScope().scope;
  const queryClient = useQueryClient();
  const client = clientFor(profileId);
  const params = { id: match.id };
  const act = useMutation({
    mutationFn: (action: () => Promise<unknown>) => action(),
    onSettled: () => invalidateFigures(queryClient),
  });
  const [first, second] = match.records;
  const pair = t.sales.pair(
    `${sourceLabel(first.source, sources)} ${first.external_id}`,
    `${sourceLabel(second.source, sources)} ${second.external_id}`,
  );
  const button = (title: string, action: () => Promise<unknown>) => (
    <button
      type="button"
      className="button"
      aria-label={t.sales.ofPair(title, pair)}
      disabled={act.isPending}
      onClick={() => act.mutate(action)}
    >
      {title}
    </button>
  );
  return (
    <div className="flex flex-wrap gap-2">
      {match.decision?.decision !== 'confirmed' && button(t.sales.confirm, () => client.confirmSaleMatch({ params }))}
      {match.decision?.decision !== 'rejected' && button(t.sales.reject, () => client.rejectSaleMatch({ params }))}
      {match.decision && button(t.sales.undo, () => client.undoSaleMatch({ params }))}
      <Failed error={act.error} />
    </div>
  );
}
