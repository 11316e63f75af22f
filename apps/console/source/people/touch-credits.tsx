import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { channelTitle, moment, nothing, percent, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { adLine } from '../parts/ad-line.ts';
import type { Column, FooterRow } from '../parts/columns.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Loading, Problem } from '../parts/states.tsx';
import { creditQuery, type JourneyTouch } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { type Model, modelNames } from '../search.ts';
import { More } from './more.tsx';
import { Synthetic } from './timeline.tsx';

/** Touches have no ids, so their chronological position identifies them. */
interface PositionedTouch extends JourneyTouch {
  readonly position: number;
}

/** The touches of a conversion in chronological order, each with its credit under every model. */
export function TouchCredits({ conversionId, timeZone }: { readonly conversionId: string; readonly timeZone: string }) {
  const { scope } = useReportScope();
  const query = useInfiniteQuery(creditQuery(scope.profileId, conversionId));
  const columns = useMemo(() => columnsOf(timeZone), [timeZone]);
  if (query.isError) return <Problem error={query.error} again={() => void query.refetch()} />;
  if (!query.data) return <Loading lines={5} />;
  const rows = query.data.pages
    .flatMap((page) => page.data.events)
    .map((touch, index): PositionedTouch => ({ ...touch, position: index }));
  const isWorkedOut = rows.some(({ credit }) => Object.keys(credit).length > 0);
  return (
    <section aria-labelledby="earned">
      <h2 id="earned">{t.people.whatEarned}</h2>
      <p className="label mb-2 max-w-prose">{t.people.whatEarnedAbout}</p>
      <DataTable
        caption={t.people.sharesCaption}
        columns={columns}
        rows={rows}
        keyOf={({ position: index }) => String(index)}
        footer={isWorkedOut && !query.hasNextPage ? [sumOf(rows)] : []}
      />
      {!isWorkedOut && <p className="label mt-2">{t.people.noShares}</p>}
      <More query={query} />
    </section>
  );
}

const columnsOf = (timeZone: string): Column<PositionedTouch>[] => [
  {
    id: 'touch',
    title: t.people.touch,
    value: ({ position }) => position,
    cell: (touch) => (
      <div data-in-window={touch.in_window} className={touch.in_window ? '' : 'text-soft'}>
        {titleOf(touch)}
        {touch.kind === 'synthetic' && <Synthetic />}
        {!touch.in_window && <span className="label ml-2">{t.people.outside}</span>}
        {adLine(touch) && <span className="block break-words">{adLine(touch)}</span>}
        <span className="label block">
          {[moment(touch.occurred_at, timeZone), describeMatch(touch)].filter(Boolean).join(' · ')}
        </span>
      </div>
    ),
  },
  ...modelNames.map(
    (model): Column<PositionedTouch> => ({
      id: model,
      title: words(model),
      isNumber: true,
      value: ({ credit }) => credit[model] ?? null,
      cell: ({ credit, in_window: isInWindow }) => (
        <span className={isInWindow && credit[model] ? '' : 'text-soft'}>{shareOf(credit[model])}</span>
      ),
    }),
  ),
];

const shareOf = (share: number | undefined): string => (share === undefined ? nothing : percent(share));

const titleOf = ({ kind, channel }: JourneyTouch): string =>
  kind === 'conversion' ? t.people.conversion : channel ? channelTitle(channel) : words(kind);

/** How the touch was matched to its ad. */
const describeMatch = ({ join_method: method, click_id_kind: kind }: JourneyTouch): string =>
  [method && t.people.knownBy(words(method).toLowerCase()), kind].filter(Boolean).join(', ');

function sumOf(rows: readonly JourneyTouch[]): FooterRow {
  const sum = (model: Model) => rows.reduce((all, { credit }) => all + (credit[model] ?? 0), 0);
  return {
    id: 'sum',
    title: t.people.together,
    isTotal: true,
    cells: Object.fromEntries(modelNames.map((model) => [model, percent(sum(model))])),
  };
}
