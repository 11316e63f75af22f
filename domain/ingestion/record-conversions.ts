import { recordVisitOutcomes, untilRecorded, type VisitOutcome } from '@tributary/domain/outcomes';
import { paymentStandings } from '@tributary/domain/payments';
import type { Json } from '@tributary/rules';
import type { Ingestion } from './context.ts';
import { eachProfile } from './each-profile.ts';
import type { PlacedVisit } from './place-visits.ts';
import { lockLinkedCustomers } from './store.ts';

type Candidate = Omit<VisitOutcome, 'customerId'> & { readonly profileId: string };

/** As many as a request of the API may bring. */
const mostAtOnce = 1_000;

/** Step 9. What browsers did and a definition lists becomes an outcome, once; a robot's doing does not. */
export async function recordConversions(ingestion: Ingestion, visits: readonly PlacedVisit[]): Promise<void> {
  await eachProfile(visits.flatMap(candidateOf), async (profileId, candidates) => {
    for (let from = 0; from < candidates.length; from += mostAtOnce)
      await record(ingestion, profileId, candidates.slice(from, from + mostAtOnce));
  });
}

function candidateOf({ profile, arrival, visitorId, isErased, visit, secret }: PlacedVisit): Candidate[] {
  if (visit.type !== 'track' || visit.name === undefined || arrival.user_agent.is_bot) return [];
  // What would be money stays out: it is a browser's word.
  const { value: _value, currency: _currency, ...properties } = secret.properties ?? {};
  const { region } = arrival;
  const rest = { properties, action_source: 'website', click_ids: secret.click_ids, page_url: visit.url, region };
  return [
    {
      profileId: profile.id,
      visitId: visit.id,
      visitorId,
      isErased,
      name: visit.name,
      occurredAt: new Date(visit.at),
      // Through JSON and back: what is stored is what a redelivery is compared with.
      rest: JSON.parse(JSON.stringify(rest)) as Record<string, Json>,
    },
  ];
}

async function record(
  { postgres, tombstones, now }: Pick<Ingestion, 'postgres' | 'tombstones' | 'now'>,
  profileId: string,
  candidates: readonly Candidate[],
): Promise<void> {
  const at = now();
  const [first] = candidates;
  if (!first) return;
  // Another worker may have the same visit from a redelivery.
  await untilRecorded(() =>
    postgres.forProfile(profileId).transaction(async (tx) => {
      const customers = await lockLinkedCustomers(
        tx,
        profileId,
        candidates.map(({ visitorId }) => visitorId),
      );
      await recordVisitOutcomes(
        tx,
        candidates.map((candidate) => ({ ...candidate, customerId: customers.get(candidate.visitorId) ?? null })),
        {
          profileId,
          now: at,
          evidence: { source: 'browser', saidAt: at, requestId: first.visitId },
          teller: { source: 'browser' },
          tombstones,
          payments: paymentStandings,
        },
      );
    }),
  );
}
