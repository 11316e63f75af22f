import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { count, money } from '../format.ts';
import { t } from '../messages/index.ts';
import { Empty, QueryResult } from '../parts/states.tsx';
import { type CustomerCandidate, customerSearchQuery, profileQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { limits } from '../vocabulary.ts';
import { More } from './more.tsx';
import { PersonLink } from './person-link.tsx';

/** Customers with this name, address or number, whether or not they ever reached a goal. */
export function CustomerSearchResults({ text }: { readonly text: string }) {
  const { scope } = useReportScope();
  const query = useInfiniteQuery(customerSearchQuery(scope.profileId, text));
  const { data: profile } = useQuery(profileQuery(scope.profileId));
  if (text.length < limits.searchMinCharacters)
    return <p className="label mb-4">{t.people.atLeast(limits.searchMinCharacters)}</p>;
  return (
    <section aria-labelledby="found" className="mb-6">
      <h2 id="found" className="mb-2">
        {t.people.found}
      </h2>
      <QueryResult query={query} lines={2}>
        {({ pages }) => <Candidates pages={pages} currency={profile?.reporting_currency} />}
      </QueryResult>
      <More query={query} />
    </section>
  );
}

interface CandidatesProps {
  readonly pages: readonly {
    readonly data: readonly CustomerCandidate[];
    readonly meta: { readonly count: number; readonly is_count_exact: boolean };
  }[];
  readonly currency: string | undefined;
}

function Candidates({ pages, currency }: CandidatesProps) {
  const people = pages.flatMap((page) => page.data);
  const { count: all = 0, is_count_exact: isExact = true } = pages[0]?.meta ?? {};
  if (people.length === 0) return <Empty title={t.people.nobodyBegins} />;
  return (
    <>
      <p className="label mb-2">
        {isExact
          ? t.people.foundOf(count(people.length), count(all))
          : t.people.foundOfMore(count(people.length), count(all))}
      </p>
      <ul className="card divide-y divide-line">
        {people.map((person) => (
          <li key={person.customer_profile_id} className="flex flex-wrap justify-between gap-x-4 px-5 py-2.5">
            <span className="min-w-0">
              <PersonLink customerId={person.customer_profile_id} title={nameOf(person)} />
              <span className="label block break-all">{contactOf(person)}</span>
            </span>
            <span className="label" title={person.cash_revenue === null ? t.people.noRate : undefined}>
              {t.people.conversions(person.conversion_count, count(person.conversion_count))}
              {currency && `, ${money(person.cash_revenue, currency)}`}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

const nameOf = ({
  first_name: first,
  last_name: last,
  primary_email: email,
  primary_phone: phone,
}: CustomerCandidate) => [first, last].filter(Boolean).join(' ') || email || phone || t.people.withoutName;

const contactOf = ({ primary_email: email, primary_phone: phone }: CustomerCandidate): string =>
  [email, phone].filter(Boolean).join(' · ');
