import * as Dialog from '@radix-ui/react-dialog';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { campaignsQuery } from '../campaigns-query.ts';
import { fields, formatFigure } from '../fields.ts';
import { channelTitle, longDay, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { Loading, Problem } from '../parts/states.tsx';
import { windowTitles } from '../parts/window-titles.ts';
import { entityQuery } from '../queries.ts';
import { useChangeSearch, useReportScope } from '../report-scope.ts';
import type { Explained } from '../search.ts';
import { Changes } from './changes.tsx';
import { Conversions } from './conversions.tsx';
import { Delivery } from './delivery.tsx';
import { Ledger } from './ledger.tsx';
import { Parts } from './parts.tsx';
import { explanationQuery } from './queries.ts';
import { CohortAds, Layers, Working } from './score.tsx';

const route = getRouteApi('/p/$profileId');

/**
 * Explains a figure in a panel beside its report. The report stays usable, so another figure can be clicked meanwhile. Escape closes the panel and
 * returns the focus to the figure.
 */
export function ExplainPanel() {
  const { explain } = route.useSearch();
  const change = useChangeSearch();
  const opener = useRef<Element>(null);
  return (
    <Dialog.Root open={explain !== undefined} onOpenChange={(isOpen) => !isOpen && change({})} modal={false}>
      <Dialog.Portal>
        <Dialog.Content
          className="fixed inset-y-0 right-0 z-10 flex w-full flex-col border-line border-l bg-paper shadow-xl sm:w-[34rem] xl:w-[28rem] xl:shadow-none 2xl:w-[34rem]"
          aria-describedby={undefined}
          onOpenAutoFocus={() => {
            opener.current = document.activeElement;
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (opener.current instanceof HTMLElement) opener.current.focus();
          }}
          onInteractOutside={(event) => event.preventDefault()}
        >
          {explain && <Content explain={explain} />}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Content({ explain }: { readonly explain: Explained }) {
  const { scope } = useReportScope();
  return (
    <>
      <div className="flex items-start justify-between gap-4 border-line border-b px-5 py-4">
        <div className="min-w-0">
          <Dialog.Title className="break-words">
            {fields[explain.field].title}, <About explain={explain} />
          </Dialog.Title>
          <p className="label">
            <When explain={explain} />
            {explain.report !== 'overview' && `, ${words(explain.model)}`}
            {scope.asOf && explain.report !== 'top_performers' && t.explain.asItStoodOn(longDay(scope.asOf))}
          </p>
        </div>
        <Dialog.Close className="button">{t.common.close}</Dialog.Close>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section aria-label={t.explain.title} tabIndex={0} className="min-h-0 flex-1 overflow-y-auto px-5 py-4">
        <Explanation explain={explain} />
      </section>
    </>
  );
}

/** The window over which top ads were scored. */
function When({ explain: { window, days } }: { readonly explain: Explained }) {
  const { scope } = useReportScope();
  const { from, to } = days ?? scope;
  if (window) return windowTitles[window];
  return from === to ? longDay(from) : t.common.fromTo(longDay(from), longDay(to));
}

function About({ explain: { entity, type, level, model, platform, channel } }: { readonly explain: Explained }) {
  const { scope } = useReportScope();
  const isNamed = entity !== undefined && entity !== 'unattributed';
  // Usually the row is on screen, so its name is already cached.
  const rows = useQueryClient().getQueryData(campaignsQuery(scope, level, model).queryKey)?.rows ?? [];
  const cachedName = rows.find(({ campaign_id: id }) => id === entity)?.campaign_name;
  const { data } = useQuery({ ...entityQuery(scope, entity ?? '', level, model), enabled: isNamed && !cachedName });
  const others = platform ? words(platform) : channel ? channelTitle(channel) : t.common.all;
  const whose = isNamed ? (cachedName ?? data?.campaign_name ?? '…') : entity ? t.explain.unattributed : others;
  return <>{type ? `${whose}, ${words(type)}` : whose}</>;
}

function Explanation({ explain }: { readonly explain: Explained }) {
  const { scope } = useReportScope();
  const query = useInfiniteQuery(explanationQuery(scope, explain));
  if (query.isError) return <Problem error={query.error} again={() => void query.refetch()} />;
  const [first] = query.data?.pages ?? [];
  if (!query.data || !first) return <Loading lines={6} />;
  const { data, meta } = first;
  const conversions = query.data.pages.flatMap((page) => page.data.conversions);
  const delivery = query.data.pages.flatMap((page) => page.data.delivery);
  const cohort = query.data.pages.flatMap((page) => page.data.cohort);
  return (
    <div className="grid gap-5">
      <div>
        <p className="number font-semibold text-figure" data-value={data.value ?? ''}>
          {formatFigure(explain.field, data.value, meta.currency)}
        </p>
        {(data.parts.length === 0 || data.working || data.row_count > 0) && (
          <p className="text-soft">{formulaOf(explain)}</p>
        )}
      </div>
      <Changes explain={explain} currency={meta.currency} />
      <Parts explain={explain} parts={data.parts} currency={meta.currency} />
      {data.row_count > 0 && cohort.length === 0 && (
        <Ledger
          field={explain.field}
          value={data.value}
          total={data.contributes}
          rowCount={data.row_count}
          shown={[...conversions, ...delivery, ...data.layers].map(({ contributes }) => contributes)}
          currency={meta.currency}
        />
      )}
      {data.exclusions.length > 0 && (
        <ul aria-label={t.explain.leftOut} className="grid gap-1 border-line border-l-2 pl-3">
          {data.exclusions.map(({ reason, count, meaning }) => (
            <li key={reason}>
              <span className="number">{count}</span>
              {t.explain.isLeftOut(reasonOf(reason, meaning))}
            </li>
          ))}
        </ul>
      )}
      {conversions.length > 0 && (
        <Conversions
          conversions={conversions}
          field={explain.field}
          currency={meta.currency}
          timeZone={meta.time_zone}
          hasEntity={explain.entity !== undefined}
        />
      )}
      {data.layers.length > 0 && <Layers explain={explain} layers={data.layers} />}
      {cohort.length > 0 && <CohortAds ads={cohort} total={data.contributes} rowCount={data.row_count} />}
      {data.working && <Working working={data.working} />}
      {delivery.length > 0 && <Delivery rows={delivery} field={explain.field} currency={meta.currency} />}
      {query.hasNextPage && (
        <button
          type="button"
          className="button"
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {query.isFetchingNextPage ? t.common.loadingMore : t.common.showMore}
        </button>
      )}
    </div>
  );
}

/** The formula of the figure. Totals do not depend on an attribution model, so they have their own formula. */
function formulaOf({ field, entity, report, platform, channel }: Explained): string {
  const isOfAll = report === 'overview' || (!entity && !platform);
  const formula = (isOfAll ? t.formulas.ofAll[field] : undefined) ?? t.formulas.ofRow[field];
  return channel ? `${formula} ${t.overview.channelsAbout}` : formula;
}

const leftOutWords: Readonly<Record<string, string>> = t.explain.reasons;
const reasonOf = (reason: string, meaning: string): string => leftOutWords[reason] ?? meaning;
