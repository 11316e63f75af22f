import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { fields } from '../fields.ts';
import { words } from '../format.ts';
import { t } from '../messages/index.ts';
import { AdPicture } from '../parts/ad-picture.tsx';
import { AttributionWindow } from '../parts/attribution-window.tsx';
import { Choice } from '../parts/choice.tsx';
import { Figure } from '../parts/figure.tsx';
import { QueryResult } from '../parts/states.tsx';
import { earnersQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { sharedLink } from '../shared-link.ts';

const levels = [
  { value: 'campaign', title: t.pages.campaigns },
  { value: 'ad', title: t.levels.ads },
] as const;
const shown = ['outcome_value', 'spend', 'roas'] as const;

/** The campaigns and ads with the highest revenue. */
export function Earners({ currency }: { readonly currency: string }) {
  const { scope, model, linkSearch } = useReportScope();
  const [level, setLevel] = useState<(typeof levels)[number]['value']>('campaign');
  const query = useQuery(earnersQuery(scope, level, model));
  return (
    <section className="card p-5" aria-labelledby="earners">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <div>
          <h2 id="earners">{t.overview.earnedMost}</h2>
          <p className="label">{t.overview.under(words(model).toLowerCase())}</p>
          <AttributionWindow />
        </div>
        <Choice label={t.overview.whatRanked} value={level} options={levels} onChange={setLevel} />
      </div>
      <QueryResult query={query} lines={5}>
        {(rows) => (
          <div className="overflow-x-auto">
            <table className="w-full">
              <thead>
                <tr className="label text-right">
                  <th scope="col" className="py-1 text-left font-medium">
                    {t.common.name}
                  </th>
                  {shown.map((field) => (
                    <th key={field} scope="col" className="pl-3 font-medium" title={fields[field].about}>
                      {fields[field].title}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.campaign_id} className="border-line border-t text-right">
                    <th scope="row" className="py-1.5 text-left font-normal">
                      <span className="flex items-center gap-2">
                        {level === 'ad' && <AdPicture adId={row.campaign_id} name={row.campaign_name} isSmall />}
                        <span>
                          {row.campaign_name}
                          <span className="label block">{words(row.platform)}</span>
                        </span>
                      </span>
                    </th>
                    {shown.map((field) => (
                      <td key={field} className="pl-3">
                        <Figure
                          of={{ report: 'campaigns', field, entity: row.campaign_id, level, model }}
                          value={row[field]}
                          currency={currency}
                          about={row.campaign_name}
                        />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </QueryResult>
      {!sharedLink() && (
        <Link
          to="/p/$profileId/campaigns"
          params={{ profileId: scope.profileId }}
          search={{ ...linkSearch, level }}
          className="mt-3 inline-block text-accent hover:underline"
        >
          {level === 'ad' ? t.overview.allAds : t.overview.allCampaigns}
        </Link>
      )}
    </section>
  );
}
