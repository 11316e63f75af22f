import { recordVisitOutcomes, retryOnConflict, type VisitOutcome } from '@tributary/domain/commerce/outcomes';
import { paymentStandings } from '@tributary/domain/commerce/payments';
import type { Json } from '@tributary/rules';
import type { Ingestion } from './context.ts';
import { eachProfile } from './each-profile.ts';
import type { PlacedVisit } from './place-visits.ts';
import { lockLinkedCustomers } from './store.ts';

type Candidate = Omit<VisitOutcome, 'customerId'> & { readonly profileId: string };

/** The limit of an API request, too. */
const maxAtOnce = 1_000;

/** Step 9: records tracked events that a definition lists as outcomes, once each; events of bots are ignored. */
export async function recordConversions(ingestion: Ingestion, visits: readonly PlacedVisit[]): Promise<void> {
  await eachProfile(visits.flatMap(toCandidates), async (profileId, candidates) => {
    for (let from = 0; from < candidates.length; from += maxAtOnce)
      await record(ingestion, profileId, candidates.slice(from, from + maxAtOnce));
  });
}

function toCandidates({ profile, arrival, visitorId, isErased, visit, secret }: PlacedVisit): Candidate[] {
  if (visit.type !== 'track' || visit.name === undefined || arrival.user_agent.is_bot) return [];
  // Drops monetary values: a browser is not a trusted source of them.
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
      // Round-trips through JSON, so that a redelivery compares equal to the stored value.
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
  // Retries, because another worker may be recording the same visit from a redelivery.
  await retryOnConflict(() =>
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
