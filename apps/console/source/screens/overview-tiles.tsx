import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import type { DateRange } from '../date-range.ts';
import { definitions, fields, formatFigure } from '../fields.ts';
import { ratio } from '../format.ts';
import { t } from '../messages/index.ts';
import { beforeTitle, Change } from '../parts/change.tsx';
import { Figure } from '../parts/figure.tsx';
import { type OverviewAnswer, unattributedQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { sharedLink } from '../shared-link.ts';
import { earnedByAds } from './earned-by-ads.ts';
import { explainedInOverview } from './explained.ts';

type Totals = OverviewAnswer['data']['totals'];

interface Before {
  readonly range: DateRange;
  readonly totals: Totals;
}

/** The totals of the profile. Revenue attributed to ads and other revenue are separate tiles with separate names. */
const tiles = [
  { field: 'outcome_value', better: 'more' },
  { field: 'spend' },
  {
    field: 'roas',
    title: t.metrics.blendedRoas,
    about: definitions.blendedRoas,
    better: 'more',
  },
  { field: 'outcome_count', better: 'more' },
  { field: 'cac', title: t.metrics.blendedCpa, about: definitions.blendedCpa, better: 'less' },
  { field: 'attributed_outcome_count', better: 'more' },
] as const;

export function Tiles({
  overview: { data, meta },
  before,
}: {
  readonly overview: OverviewAnswer;
  readonly before: Before | undefined;
}) {
  return (
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-4 2xl:grid-cols-7">
      {tiles.map((tile) => {
        const { field } = tile;
        const { title, about } = { ...fields[field], ...tile };
        return (
          <Fragment key={field}>
            {field === 'roas' && <AdsRoas totals={data.totals} before={before} />}
            <Tile title={title} about={about}>
              <Figure
                className="font-semibold text-title"
                of={explainedInOverview(field)}
                value={data.totals[field]}
                currency={meta.currency}
                about={t.common.all}
              />
              {before && (
                <Change
                  now={data.totals[field]}
                  was={before.totals[field]}
                  better={'better' in tile ? tile.better : undefined}
                  from={beforeTitle(before.range, formatFigure(field, before.totals[field], meta.currency))}
                />
              )}
            </Tile>
          </Fragment>
        );
      })}
    </dl>
  );
}

function Tile({
  title,
  about,
  children,
}: {
  readonly title: string;
  readonly about: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="card px-4 py-3">
      <dt className="label cursor-help" title={about} aria-description={about}>
        {title}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

/** ROAS of all campaigns under the model. Links to the campaigns that it is computed from. */
function AdsRoas({ totals, before }: { readonly totals: Totals; readonly before: Before | undefined }) {
  const { scope, model, linkSearch } = useReportScope();
  const { data: rest } = useQuery(unattributedQuery(scope, 'campaign', model));
  const earlier = useQuery({
    ...unattributedQuery({ ...scope, ...before?.range }, 'campaign', model),
    // A shared link may read only its own dates, so nothing is compared.
    enabled: before !== undefined && !sharedLink(),
  });
  const { roas } = earnedByAds(totals, rest);
  // A dash would mean division by zero, so the loading state shows an ellipsis.
  const shown = rest ? ratio(roas) : '…';
  const was = before ? earnedByAds(before.totals, earlier.data).roas : null;
  return (
    <Tile title={t.metrics.adsRoas} about={definitions.adsRoas}>
      {sharedLink() ? (
        <span className="number font-semibold text-title">{shown}</span>
      ) : (
        <Link
          to="/p/$profileId/campaigns"
          params={{ profileId: scope.profileId }}
          search={{ ...linkSearch, level: 'campaign' }}
          className="number rounded-sm font-semibold text-title underline decoration-line decoration-dotted underline-offset-4 hover:text-accent hover:decoration-accent"
          aria-label={t.overview.seeCampaigns(shown)}
        >
          {shown}
        </Link>
      )}
      {before && <Change now={roas} was={was} better="more" from={beforeTitle(before.range, ratio(was))} />}
    </Tile>
  );
}
