import { useQuery } from '@tanstack/react-query';
import { type SummedField, summedFields } from '@tributary/vocabulary';
import { show } from '../fields.ts';
import { longDay, words } from '../format.ts';
import { Loading, Problem } from '../parts/states.tsx';
import { usePlace } from '../place.ts';
import type { Explained } from '../search.ts';
import { say } from '../words/index.ts';
import { changesQuery } from './queries.ts';

/** What became of a figure since the day on which it is shown, by cause. A ratio changes with its parts, so it has none. */
export function Changes({ explain, currency }: { readonly explain: Explained; readonly currency: string }) {
  const { place } = usePlace();
  const { asOf } = place;
  const field = summedFields.find((name) => name === explain.field);
  return asOf && field ? <Since asOf={asOf} explain={{ ...explain, field }} currency={currency} /> : null;
}

interface SinceProps {
  readonly asOf: string;
  readonly explain: Explained & { readonly field: SummedField };
  readonly currency: string;
}

function Since({ asOf, explain, currency }: SinceProps) {
  const { place } = usePlace();
  const query = useQuery(changesQuery(place, asOf, explain));
  if (query.isError) return <Problem error={query.error} again={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  const { after, causes } = query.data;
  const shown = (value: string) => show(explain.field, value, currency);
  return (
    <table className="w-full" aria-label={say.explain.changesSince}>
      <caption className="label text-left">{say.explain.since(longDay(asOf))}</caption>
      <tbody>
        {causes.map(({ causes: kinds, difference, conversions }) => (
          <tr key={kinds.join()} className="border-line border-b">
            <th scope="row" className="py-1 text-left font-normal">
              {kinds.map(words).join(say.common.and)}{' '}
              {conversions > 0 && <span className="text-soft">({conversions})</span>}
            </th>
            <td className="number text-right">{shown(difference)}</td>
          </tr>
        ))}
        <tr className="font-semibold">
          <th scope="row" className="py-1 text-left">
            {causes.length === 0 ? say.explain.nothingChanged : say.explain.asItStands}
          </th>
          <td className="number text-right">{shown(after)}</td>
        </tr>
      </tbody>
    </table>
  );
}
