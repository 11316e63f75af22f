import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { sum } from '../decimals.ts';
import { channelTitle, count, moment, money, nothing } from '../format.ts';
import { t } from '../messages/index.ts';
import { type CustomerLookup, customerJourneyQuery, type JourneyPerson, personQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';

interface SummaryProps {
  readonly customerId: string;
  readonly lookup: CustomerLookup | undefined;
  readonly timeZone: string;
}

/** The customer at a glance: payments, first and last touch. Uncertain facts are shown as a dash. */
export function Summary({ customerId, lookup, timeZone }: SummaryProps) {
  const { profileId } = useReportScope().scope;
  const journey = useInfiniteQuery(customerJourneyQuery(profileId, customerId));
  const person = useQuery({ ...personQuery(profileId, lookup ?? { conversion: '' }), enabled: lookup !== undefined });
  const events = journey.data?.pages.flatMap((page) => page.data.events) ?? [];
  const brought = events.flatMap(({ channel }) => channel ?? []);
  const [first] = events;
  const customer = person.data?.customer_profile_id === customerId ? person.data : undefined;
  const facts: readonly (readonly [string, string])[] = [
    [t.people.paidInAll, customer ? paidBy(customer) : nothing],
    [t.metrics.conversions, customer ? count(customer.counts.conversions) : nothing],
    [t.people.firstChannel, brought[0] ? channelTitle(brought[0]) : nothing],
    [t.people.lastChannel, journey.hasNextPage ? nothing : lastOf(brought)],
    [t.people.firstSeen, first ? moment(first.event_time, timeZone) : nothing],
  ];
  return (
    <dl aria-label={t.people.atAGlance} className="grid grid-cols-2 gap-3 md:grid-cols-5 lg:col-span-2">
      {facts.map(([title, value]) => (
        <div key={title} className="card p-4">
          <dt className="label">{title}</dt>
          <dd className="font-semibold">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const lastOf = (channels: readonly string[]): string => {
  const last = channels.at(-1);
  return last ? channelTitle(last) : nothing;
};

/** The sum of all payments in one currency. Undefined if not all payments are listed or if they have several currencies. */
function paidBy({ conversions, counts }: JourneyPerson): string {
  const paid = conversions.filter(({ revenue_type: type, value_amount: amount }) => type === 'cash' && amount !== null);
  const currencies = new Set(paid.map(({ currency }) => currency));
  const [currency] = currencies;
  if (counts.conversions > conversions.length || currencies.size !== 1 || !currency) return nothing;
  return money(sum(paid.map(({ value_amount: amount }) => String(amount))), currency);
}
