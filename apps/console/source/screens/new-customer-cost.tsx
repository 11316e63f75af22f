import { useQuery } from '@tanstack/react-query';
import { campaignsQuery } from '../campaigns-query.ts';
import { fields } from '../fields.ts';
import { channelTitle } from '../format.ts';
import { t } from '../messages/index.ts';
import { Figure } from '../parts/figure.tsx';
import { TitleRow } from '../parts/title-row.tsx';
import type { CampaignRow } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { models } from '../vocabulary.ts';

/**
 * The acquisition cost per new customer in each paid channel. Only for single-touch models: with fractional credit, channels could not be added up.
 */
export function NewCustomerCost({ currency }: { readonly currency: string }) {
  const { scope, model } = useReportScope();
  const { data } = useQuery(campaignsQuery(scope, 'campaign', model));
  if (models[model].credit !== 'single' || !data || data.rows.length === 0) return null;
  const channels = [...Map.groupBy(data.rows, ({ platform }) => platform)];
  return (
    <section className="card p-5" aria-labelledby="new-customers">
      <h2 id="new-customers">{t.overview.newCustomerCost}</h2>
      <p className="label mb-2">{fields.cac_first_payment.about}</p>
      <table className="w-full">
        <thead>
          <TitleRow
            first={t.overview.channel}
            others={[t.metrics.spend, t.metrics.firstPurchases, t.metrics.newCustomerCac]}
          />
        </thead>
        <tbody>
          {channels.map(([channel, rows]) => {
            const figures = figuresOf(rows);
            return (
              <tr key={channel} className="border-line border-t text-right">
                <th scope="row" className="py-1.5 text-left font-normal">
                  {channelTitle(channel)}
                </th>
                {(['spend', 'outcome_count_first_payment', 'cac_first_payment'] as const).map((field) => (
                  <td key={field} className="number pl-3 last:font-semibold">
                    <Figure
                      of={{ report: 'campaigns', field, platform: channel, level: 'campaign', model }}
                      value={figures[field]}
                      currency={currency}
                      about={channelTitle(channel)}
                    />
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function figuresOf(rows: readonly CampaignRow[]) {
  const sumOf = (field: 'spend' | 'outcome_count_first_payment') =>
    rows.reduce((sum, row) => sum + (row[field] ?? 0), 0);
  const [spend, first] = [sumOf('spend'), sumOf('outcome_count_first_payment')];
  return { spend, outcome_count_first_payment: first, cac_first_payment: first > 0 ? spend / first : null };
}
