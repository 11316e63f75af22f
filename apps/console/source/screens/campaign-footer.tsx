import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { count, money, ratio } from '../format.ts';
import { t } from '../messages/index.ts';
import type { FooterRow } from '../parts/columns.ts';
import { Figure } from '../parts/figure.tsx';
import { entityQuery, overviewQuery, unattributedQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import type { Explained, Level, Within } from '../search.ts';
import { campaignFields, ModelsButton } from './campaign-columns.tsx';
import { earnedByAds } from './earned-by-ads.ts';
import { explainedInOverview } from './explained.ts';
import { SixModels } from './six-models.tsx';

interface FooterOptions {
  readonly level: Level;
  readonly within: Within | undefined;
  readonly currency: string;
  readonly opened: string | undefined;
  readonly toggle: (id: string) => void;
}

/** The rows below the table: unattributed and total, or the parent of the listed rows. */
export function useCampaignFooter(options: FooterOptions): readonly FooterRow[] | undefined {
  const whole = useWhole(options);
  const parent = useParent(options);
  return options.within ? parent : whole;
}

/** Fetches the footer's figures. Callers start it next to the rows' query so that the two load in parallel. */
export function useWholeFigures({
  level,
  within,
  refetchInterval = () => false,
}: Pick<FooterOptions, 'level' | 'within'> & { readonly refetchInterval?: () => number | false }) {
  const { scope, model } = useReportScope();
  const enabled = !within;
  return {
    rest: useQuery({ ...unattributedQuery(scope, level, model), enabled, refetchInterval }),
    all: useQuery({ ...overviewQuery(scope), enabled, refetchInterval }),
  };
}

function useWhole({ level, within, currency, opened, toggle }: FooterOptions): readonly FooterRow[] | undefined {
  const { model } = useReportScope();
  const figures = useWholeFigures({ level, within });
  const { data: rest, isError: isRestAway } = figures.rest;
  const { data: all, isError: isAllAway } = figures.all;
  // The rows stay visible when the footer's figures fail to load.
  if ((!rest && !isRestAway) || (!all && !isAllAway)) return undefined;
  const about = t.campaigns.unattributed;
  const ads = all && earnedByAds(all.data.totals, rest);
  return [
    ...(all && ads && ads.value !== null
      ? [
          {
            id: 'ads',
            title: (
              <>
                <span className="font-medium">{t.campaigns.allAds}</span>
                <span className="label mt-0.5 block">{t.campaigns.allWithout[level]}</span>
              </>
            ),
            cells: {
              outcome_value: <span className="number">{money(ads.value, currency)}</span>,
              spend: <span className="number">{money(all.data.totals.spend, currency)}</span>,
              roas: <span className="number">{ratio(ads.roas)}</span>,
            },
          },
        ]
      : []),
    ...(rest
      ? [
          {
            id: 'unattributed',
            title: (
              <>
                <span className="font-medium">{about}</span>
                <span className="label mt-0.5 flex flex-wrap gap-x-2">
                  <span>{t.campaigns.noneEarned[level]}</span>
                  {rest.partly_credited_count > 0 && (
                    <span>{t.campaigns.partly(count(rest.partly_credited_count))}</span>
                  )}
                  <ModelsButton isOpen={opened === about} about={about} toggle={() => toggle(about)} />
                </span>
              </>
            ),
            cells: cellsOf(rest, currency, about, { report: 'campaigns', entity: 'unattributed', level, model }),
            expanded: opened === about && (
              <SixModels entity="unattributed" level={level} currency={currency} about={about} />
            ),
          },
        ]
      : []),
    ...(all
      ? [
          {
            id: 'all',
            title: (
              <>
                {t.common.allOfThem}
                <span className="label mt-0.5 block font-normal">{t.campaigns.blended}</span>
              </>
            ),
            isTotal: true,
            cells: cellsOf(all.data.totals, currency, t.common.all, explainedInOverview('spend')),
          },
        ]
      : []),
  ];
}

function useParent({ within, currency }: FooterOptions): readonly FooterRow[] | undefined {
  const { scope, model } = useReportScope();
  const level = within?.adSet ? 'ad_set' : 'campaign';
  const id = within?.adSet ?? within?.campaign ?? '';
  const { data: parent, isError } = useQuery({ ...entityQuery(scope, id, level, model), enabled: id !== '' });
  if (!parent) return isError ? [] : undefined;
  return [
    {
      id: 'parent',
      isTotal: true,
      title: (
        <>
          {parent.campaign_name}
          <span className="label mt-0.5 block font-normal">{t.campaigns.alsoLinks[level]}</span>
        </>
      ),
      cells: cellsOf(parent, currency, parent.campaign_name, {
        report: 'campaigns',
        entity: parent.campaign_id,
        level,
        model,
      }),
    },
  ];
}

type Figures = { readonly [Field in (typeof campaignFields)[number]]?: number | null | undefined };

/** A missing figure stays empty, which differs from zero. */
function cellsOf(
  figures: Figures,
  currency: string,
  about: string,
  of: Omit<Explained, 'field'>,
): Readonly<Record<string, ReactNode>> {
  return Object.fromEntries(
    campaignFields
      .filter((field) => figures[field] !== undefined)
      .map((field) => [
        field,
        <Figure key={field} of={{ ...of, field }} value={figures[field]} currency={currency} about={about} />,
      ]),
  );
}
