import { useQuery } from '@tanstack/react-query';
import { fields, told } from '../fields.ts';
import { count, money, nothing, words } from '../format.ts';
import { usePlace } from '../place.ts';
import { type CampaignRow, campaignsQuery } from '../queries.ts';
import { models } from '../vocabulary.ts';

/** What a new customer costs in each paid channel. Only where a first purchase is one campaign's: else channels could not be added up. */
export function NewCustomerCost({ currency }: { readonly currency: string }) {
  const { place, model } = usePlace();
  const { data } = useQuery(campaignsQuery(place, 'campaign', model));
  if (models[model].credit !== 'single' || !data || data.rows.length === 0) return null;
  const channels = [...Map.groupBy(data.rows, ({ platform }) => platform)];
  return (
    <section className="card p-5" aria-labelledby="new-customers">
      <h2 id="new-customers">What a new customer costs</h2>
      <p className="label mb-2">{told(fields.cac_first_payment.about)}</p>
      <table className="w-full">
        <thead>
          <tr className="label text-right">
            <th scope="col" className="py-1 text-left font-medium">
              Channel
            </th>
            {['Spend', 'First purchases', 'New-customer CAC'].map((title) => (
              <th key={title} scope="col" className="pl-3 font-medium">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {channels.map(([channel, rows]) => {
            const [spend, first] = [sumOf(rows, 'spend'), sumOf(rows, 'outcome_count_first_payment')];
            return (
              <tr key={channel} className="border-line border-t text-right">
                <th scope="row" className="py-1.5 text-left font-normal">
                  {words(channel)}
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
