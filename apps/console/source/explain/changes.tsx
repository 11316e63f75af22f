import { useQuery } from '@tanstack/react-query';
import { type SummedField, summedFields } from '@tributary/vocabulary';
import { closingsQuery, monthOf } from '../closings.ts';
import { formatFigure } from '../fields.ts';
import { longDay, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { Loading, Problem } from '../parts/states.tsx';
import { endOf } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import type { Explained } from '../search.ts';
import { changesQuery } from './queries.ts';

/**
 * Why a figure changed since the report's as-of date, or since its month was closed, by cause. A ratio changes with its parts, so it has no causes.
 */
export function Changes({ explain, currency }: { readonly explain: Explained; readonly currency: string }) {
  const { scope } = useReportScope();
  const month = monthOf(scope);
  const closings = useQuery({ ...closingsQuery(scope.profileId), enabled: month !== undefined && !scope.asOf });
  const since = scope.asOf ? endOf(scope.asOf) : closings.data?.find((one) => one.month === month)?.as_of;
  const field = summedFields.find((name) => name === explain.field);
  // Causes are recorded only for campaigns, ad sets, ads and the total.
  const isOfRow = !explain.platform && !explain.channel && !explain.window && !explain.days;
  return since && field && isOfRow ? <Since since={since} explain={{ ...explain, field }} currency={currency} /> : null;
}

interface SinceProps {
  readonly since: string;
  readonly explain: Explained & { readonly field: SummedField };
  readonly currency: string;
}

function Since({ since, explain, currency }: SinceProps) {
  const { scope } = useReportScope();
  const query = useQuery(changesQuery(scope, since, explain));
  if (query.isError) return <Problem error={query.error} again={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  const { before, after, causes } = query.data;
  const shown = (value: string) => formatFigure(explain.field, value, currency);
  const steps = stepsOf(Number(before), causes);
  return (
    <table className="w-full" aria-label={t.explain.changesSince}>
      <caption className="label text-left">{t.explain.since(longDay(since.slice(0, 10)))}</caption>
      <tbody>
        <Line name={t.explain.asItStood} value={shown(before)} isEnd />
        {steps.map(({ kinds, difference, conversions, left, width }) => (
          <tr key={kinds.join()} className="border-line border-b">
            <th scope="row" className="py-1 text-left font-normal">
              {describeCauses(kinds, conversions, explain.field)}
            </th>
            <td aria-hidden="true" className="relative w-1/3">
              <span
                className={`absolute inset-y-1.5 ${Number(difference) < 0 ? 'bg-problem' : 'bg-accent'}`}
                style={{ left: `${left}%`, width: `${width}%` }}
              />
            </td>
            <td className="number text-right">{shown(difference)}</td>
          </tr>
        ))}
        <Line name={causes.length === 0 ? t.explain.nothingChanged : t.explain.asItStands} value={shown(after)} isEnd />
      </tbody>
    </table>
  );
}

function Line({ name, value, isEnd }: { readonly name: string; readonly value: string; readonly isEnd: boolean }) {
  return (
    <tr className={isEnd ? 'font-semibold' : ''}>
      <th scope="row" colSpan={2} className="py-1 text-left">
        {name}
      </th>
      <td className="number text-right">{value}</td>
    </tr>
  );
}

/** "124 payments were attributed again". A cause without its own sentence is shown by name with its count. */
function describeCauses(kinds: readonly string[], conversions: number, field: SummedField): string {
  const [kind = ''] = kinds;
  const sentence = kinds.length === 1 && conversions > 0 ? t.explain.causeSentences[kind] : undefined;
  if (sentence) return sentence(t.explain.changedConversions(conversions, field === 'outcome_value'), conversions);
  return `${kinds.map(words).join(t.common.and)}${conversions > 0 ? ` (${conversions})` : ''}`;
}

/** The bars of a waterfall: each starts where the previous cause left the figure. */
function stepsOf(
  before: number,
  causes: readonly { readonly causes: readonly string[]; readonly difference: string; readonly conversions: number }[],
) {
  const stops = [before];
  for (const { difference } of causes) stops.push((stops.at(-1) ?? before) + Number(difference));
  const [low, high] = [Math.min(...stops), Math.max(...stops)];
  const percentOf = (value: number) => (high === low ? 0 : ((value - low) / (high - low)) * 100);
  return causes.map(({ causes: kinds, difference, conversions }, nth) => {
    const [from, to] = [stops[nth] ?? before, stops[nth + 1] ?? before];
    const left = percentOf(Math.min(from, to));
    return { kinds, difference, conversions, left, width: Math.max(percentOf(Math.max(from, to)) - left, 1) };
  });
}
