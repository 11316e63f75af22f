import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { count, moment, money, words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Loading, Problem, QueryResult } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { conversionJourneyQuery, profileQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { More } from './more.tsx';
import { AccessNotice } from './only-with-customers.tsx';
import { PersonLink } from './person-link.tsx';
import { Timeline } from './timeline.tsx';
import { TouchCredits } from './touch-credits.tsx';

const route = getRouteApi('/p/$profileId/conversions/$conversionId');

/** One conversion: the touches that earned it under each model and, for members who may see customers, the whole journey before it. */
export function Conversion() {
  useTitle(t.people.conversion);
  const { conversionId } = route.useParams();
  const { scope } = useReportScope();
  const { seesPeople } = useMembership();
  const profile = useQuery(profileQuery(scope.profileId));
  return (
    <>
      <h1>{t.people.journeyOfConversion}</h1>
      {seesPeople && profile.data && <WhichOne conversionId={conversionId} timeZone={profile.data.time_zone} />}
      <QueryResult query={profile}>
        {({ time_zone: timeZone }) => (
          <div className="mt-4 grid gap-6">
            <TouchCredits conversionId={conversionId} timeZone={timeZone} />
            {seesPeople ? (
              <Before conversionId={conversionId} timeZone={timeZone} />
            ) : (
              <p className="label max-w-prose">{t.people.withoutPeople}</p>
            )}
          </div>
        )}
      </QueryResult>
    </>
  );
}

/** The conversion's type, time and amount. */
function WhichOne({ conversionId, timeZone }: { readonly conversionId: string; readonly timeZone: string }) {
  const { scope } = useReportScope();
  const query = useInfiniteQuery(conversionJourneyQuery(scope.profileId, conversionId));
  const of = query.data?.pages[0]?.meta.person.conversions.find(({ conversion_id: id }) => id === conversionId);
  if (!of) return null;
  return (
    <p className="text-soft">
      {[words(of.conversion_type), of.currency && money(of.value_amount, of.currency), moment(of.occurred_at, timeZone)]
        .filter(Boolean)
        .join(' · ')}
    </p>
  );
}

function Before({ conversionId, timeZone }: { readonly conversionId: string; readonly timeZone: string }) {
  const { scope } = useReportScope();
  const query = useInfiniteQuery(conversionJourneyQuery(scope.profileId, conversionId));
  if (query.isError) return <Problem error={query.error} again={() => void query.refetch()} />;
  const [first] = query.data?.pages ?? [];
  if (!query.data || !first) return <Loading lines={8} />;
  const events = query.data.pages.flatMap((page) => page.data.events);
  const { customer_profile_id: customerId, name } = first.meta.person;
  return (
    <section aria-labelledby="before">
      <h2 id="before">{t.people.cameBefore}</h2>
      <p className="label mb-2">
        {customerId ? (
          <>
            {t.people.of}{' '}
            <PersonLink customerId={customerId} conversion={conversionId} title={name ?? t.people.nameless} />
          </>
        ) : (
          t.people.ofUnknown
        )}
        {t.people.shownOf(count(events.length), count(first.data.total_count))}
      </p>
      <Timeline events={events} timeZone={timeZone} />
      <More query={query} />
      <AccessNotice />
    </section>
  );
}
