import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { sum } from '../decimals.ts';
import { channelTitle, count, moment, money, nothing } from '../format.ts';
import { usePlace } from '../place.ts';
import { customerJourneyQuery, type JourneyPerson, type KnownBy, personQuery } from '../queries.ts';
import { say } from '../words/index.ts';

interface SummaryProps {
  readonly customerId: string;
  readonly knownBy: KnownBy | undefined;
  readonly timeZone: string;
}

/** Who it is at a glance: what they paid, and what brought them first and last. What is not known for sure is a dash. */
export function Summary({ customerId, knownBy, timeZone }: SummaryProps) {
  const { profileId } = usePlace().place;
  const journey = useInfiniteQuery(customerJourneyQuery(profileId, customerId));
  const person = useQuery({ ...personQuery(profileId, knownBy ?? { conversion: '' }), enabled: knownBy !== undefined });
  const events = journey.data?.pages.flatMap((page) => page.data.events) ?? [];
  const brought = events.flatMap(({ channel }) => channel ?? []);
  const [first] = events;
  const known = person.data?.customer_profile_id === customerId ? person.data : undefined;
  const facts: readonly (readonly [string, string])[] = [
    [say.people.paidInAll, known ? paidBy(known) : nothing],
    [say.metrics.conversions, known ? count(known.counts.conversions) : nothing],
    [say.people.firstChannel, brought[0] ? channelTitle(brought[0]) : nothing],
    [say.people.lastChannel, journey.hasNextPage ? nothing : lastOf(brought)],
    [say.people.firstSeen, first ? moment(first.event_time, timeZone) : nothing],
  ];
  return (
    <dl aria-label={say.people.atAGlance} className="grid grid-cols-2 gap-3 md:grid-cols-5 lg:col-span-2">
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

/** Of all payments, in one currency: where there are more than are listed, or several currencies, no sum is shown. */
function paidBy({ conversions, counts }: JourneyPerson): string {
  const paid = conversions.filter(({ revenue_type: type, value_amount: amount }) => type === 'cash' && amount !== null);
  const currencies = new Set(paid.map(({ currency }) => currency));
  const [currency] = currencies;
  if (counts.conversions > conversions.length || currencies.size !== 1 || !currency) return nothing;
  return money(sum(paid.map(({ value_amount: amount }) => String(amount))), currency);
}
