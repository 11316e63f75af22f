import { useQuery } from '@tanstack/react-query';
import { fields } from '../fields.ts';
import { channelTitle, count, money, nothing } from '../format.ts';
import { TitleRow } from '../parts/title-row.tsx';
import { usePlace } from '../place.ts';
import { type CampaignRow, campaignsQuery } from '../queries.ts';
import { models } from '../vocabulary.ts';
import { say } from '../words/index.ts';

/** What a new customer costs in each paid channel. Only where a first purchase is one campaign's: else channels could not be added up. */
export function NewCustomerCost({ currency }: { readonly currency: string }) {
  const { place, model } = usePlace();
  const { data } = useQuery(campaignsQuery(place, 'campaign', model));
  if (models[model].credit !== 'single' || !data || data.rows.length === 0) return null;
  const channels = [...Map.groupBy(data.rows, ({ platform }) => platform)];
  return (
    <section className="card p-5" aria-labelledby="new-customers">
      <h2 id="new-customers">{say.overview.newCustomerCost}</h2>
      <p className="label mb-2">{fields.cac_first_payment.about}</p>
      <table className="w-full">
        <thead>
          <TitleRow
            first={say.overview.channel}
            others={[say.metrics.spend, say.metrics.firstPurchases, say.metrics.newCustomerCac]}
          />
        </thead>
        <tbody>
          {channels.map(([channel, rows]) => {
            const [spend, first] = [sumOf(rows, 'spend'), sumOf(rows, 'outcome_count_first_payment')];
            return (
              <tr key={channel} className="border-line border-t text-right">
                <th scope="row" className="py-1.5 text-left font-normal">
                  {channelTitle(channel)}
                </th>
                <td className="number pl-3">{money(spend, currency)}</td>
                <td className="number pl-3">{count(first)}</td>
                <td className="number pl-3 font-semibold">{first > 0 ? money(spend / first, currency) : nothing}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

const sumOf = (rows: readonly CampaignRow[], field: 'spend' | 'outcome_count_first_payment'): number =>
  rows.reduce((sum, row) => sum + (row[field] ?? 0), 0);
