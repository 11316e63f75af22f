import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { TributaryError } from '@tributary/sdk';
import { count, moment, money, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { ConversionLink } from '../parts/conversion-link.tsx';
import { Empty, Loading, Problem, QueryResult } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import {
  type CustomerData,
  type CustomerLookup,
  customerDataQuery,
  customerJourneyQuery,
  type JourneyPerson,
  personQuery,
  profileQuery,
} from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { Identity } from './identity.tsx';
import { More } from './more.tsx';
import { AccessNotice, OnlyWithPeople } from './only-with-customers.tsx';
import { PersonActions } from './person-actions.tsx';
import { Summary } from './summary.tsx';
import { Timeline } from './timeline.tsx';
import { WhyOnePerson } from './why-one-person.tsx';

const route = getRouteApi('/p/$profileId/customers/$customerId');

/** One customer: identity and its evidence, value, and the full timeline. */
export function Person() {
  // The customer's name stays out of tabs and bookmarks.
  useTitle(t.people.customer);
  const { customerId } = route.useParams();
  const { conversion } = route.useSearch();
  const { scope, linkSearch } = useReportScope();
  return (
    <OnlyWithPeople title={t.people.customer}>
      <nav aria-label={t.common.whereYouAre} className="mb-1">
        <Link
          to="/p/$profileId/customers"
          params={{ profileId: scope.profileId }}
          search={linkSearch}
          className="text-accent hover:underline"
        >
          {t.pages.customers}
        </Link>
      </nav>
      <Whole key={customerId} customerId={customerId} conversion={conversion} />
      <AccessNotice />
    </OnlyWithPeople>
  );
}

interface WholeProps {
  readonly customerId: string;
  readonly conversion: string | undefined;
}

function Whole({ customerId, conversion }: WholeProps) {
  const { scope } = useReportScope();
  const held = useQuery(customerDataQuery(scope.profileId, customerId));
  const profile = useQuery(profileQuery(scope.profileId));
  if (held.error instanceof TributaryError && held.error.is('customer_not_found'))
    return (
      <>
        <h1 className="mb-4">{t.people.nobody}</h1>
        <Empty title={t.people.nothingHeld}>{t.people.mayBeErased}</Empty>
      </>
    );
  return (
    <QueryResult query={held} lines={8}>
      {(customer) => (
        <>
          <div className="mb-4 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
            <h1 className="break-words">{nameOf(customer)}</h1>
            <PersonActions customerId={customerId} />
          </div>
          <QueryResult query={profile}>
            {({ time_zone: timeZone }) => (
              <div className="grid items-start gap-6 lg:grid-cols-[3fr_2fr]">
                <Summary customerId={customerId} lookup={lookupOf(customer, conversion)} timeZone={timeZone} />
                <Happened customerId={customerId} timeZone={timeZone} />
                <div className="grid gap-6">
                  <Conversions held={customer} lookup={lookupOf(customer, conversion)} timeZone={timeZone} />
                  <Identity held={customer} timeZone={timeZone} />
                  {customer.customers.length > 0 && <WhyOnePerson customerId={customerId} timeZone={timeZone} />}
                </div>
              </div>
            )}
          </QueryResult>
        </>
      )}
    </QueryResult>
  );
}

/** The first customer is the survivor of the merges. */
function nameOf({ customers: [customer] }: CustomerData): string {
  const name = [customer?.first_name, customer?.last_name].filter(Boolean).join(' ');
  return name || customer?.primary_email || customer?.primary_phone || t.people.unknown;
}

/** The query parameter with which the API finds the customer's conversions. */
function lookupOf({ identifiers }: CustomerData, conversion: string | undefined): CustomerLookup | undefined {
  if (conversion) return { conversion };
  const value = (wanted: string) => identifiers.find(({ kind }) => kind === wanted)?.value;
  const [key, email, phone] = [value('external_customer_id'), value('email'), value('phone')];
  if (key) return { customer_key: key };
  if (email) return { email };
  return phone ? { phone } : undefined;
}

function Happened({ customerId, timeZone }: { readonly customerId: string; readonly timeZone: string }) {
  const { scope } = useReportScope();
  const query = useInfiniteQuery(customerJourneyQuery(scope.profileId, customerId));
  if (query.isError) return <Problem error={query.error} again={() => void query.refetch()} />;
  const [first] = query.data?.pages ?? [];
  if (!query.data || !first) return <Loading lines={8} />;
  const events = query.data.pages.flatMap((page) => page.data.events);
  return (
    <section aria-labelledby="journey">
      <h2 id="journey">{t.people.journey}</h2>
      <p className="label mb-2">{t.people.earliestFirst(count(events.length), count(first.data.total_count))}</p>
      <Timeline events={events} timeZone={timeZone} />
      <More query={query} />
    </section>
  );
}

interface ConversionsProps {
  readonly held: CustomerData;
  readonly lookup: CustomerLookup | undefined;
  readonly timeZone: string;
}

function Conversions({ lookup, ...rest }: ConversionsProps) {
  return lookup ? <CustomerConversions lookup={lookup} {...rest} /> : null;
}

function CustomerConversions({ held, lookup, timeZone }: ConversionsProps & { readonly lookup: CustomerLookup }) {
  const { scope } = useReportScope();
  const query = useQuery(personQuery(scope.profileId, lookup));
  const [customer] = held.customers;
  // A manually edited URL may name another customer's conversion.
  if (query.data && query.data.customer_profile_id !== (customer?.customer_profile_id ?? null)) return null;
  return (
    <QueryResult query={query}>
      {({ conversions, counts }) => (
        <section aria-labelledby="conversions" className="card p-5">
          <h2 id="conversions">{t.metrics.conversions}</h2>
          <p className="label mb-2">
            {t.people.ofAllTime(count(counts.conversions))}
            {counts.conversions > conversions.length && t.people.theNewest(count(conversions.length))}
            {t.people.pressOne}
          </p>
          <ul className="divide-y divide-line">
            {conversions.map((conversion) => (
              <ConversionLine key={conversion.conversion_id} conversion={conversion} timeZone={timeZone} />
            ))}
          </ul>
        </section>
      )}
    </QueryResult>
  );
}

interface LineProps {
  readonly conversion: JourneyPerson['conversions'][number];
  readonly timeZone: string;
}

function ConversionLine({ conversion, timeZone }: LineProps) {
  const { conversion_id: conversionId, conversion_type: type, occurred_at: at, value_amount: amount } = conversion;
  return (
    <li className="flex items-baseline justify-between gap-4 py-1.5">
      <ConversionLink conversionId={conversionId}>
        {words(type)}
        <span className="label block">{moment(at, timeZone)}</span>
      </ConversionLink>
      {conversion.currency && <span className="number">{money(amount, conversion.currency)}</span>}
    </li>
  );
}
