import type { AnswerOf, Routes } from '@tributary/contract';
import { countHeld, listDisputed, listIdentifiers, listSamePerson } from '@tributary/domain/commerce/customers';
import { countBrowsers, listBrowsers } from '@tributary/domain/traffic/ingestion';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import type { Part } from './page.ts';
import { findPerson, type Person } from './person.ts';
import type { JourneyServices } from './services.ts';
import { findSummary } from './store.ts';
import { always, readTimeline, type TimelineEvent } from './timeline.ts';

type Shown = AnswerOf<Routes['readCustomerExport']>['body']['data'];

/** Exports everything stored about one person, one page of each list at a time, so that memory stays bounded. */
export const readCustomerExport: Handles<
  Routes['readCustomerExport'],
  Pick<JourneyServices, 'clickhouse' | 'vault'>
> = async ({ params, query }, context) => {
  const { ledger, caller, mentions, vault } = context;
  const profileId = caller.profileId;
  const { person, held, summary } = await ledger.transaction(
    async (tx) => {
      const person = await findPerson(tx, profileId, params.id);
      return {
        person,
        held: await readStoredLists(tx, profileId, person, query),
        summary: query.offset === 0 ? await findSummary(tx, vault, profileId, person.id) : undefined,
      };
    },
    { readOnly: true },
  );
  const { events, totalCount } = await readTimeline(context, { profileId, person, until: always, ...query });
  if (person.customerId === null && totalCount === 0) {
    refuse('customer_not_found', 'Nothing is held here of somebody with that id.');
  }
  mentions(person.id);
  const totals = { ...held.totals, records: totalCount };
  return answer(200, {
    data: {
      ...held.lists,
      records: events.map(toRecordResponse),
      journey_summary: summary?.text ?? null,
      totals,
      has_next: Object.values(totals).some((total) => total > query.offset + query.limit),
    },
  });
};

async function readStoredLists(
  tx: Tx,
  profileId: string,
  { customerId }: Person,
  part: Part,
): Promise<{
  lists: Pick<Shown, 'customers' | 'identifiers' | 'disputed_identifiers' | 'browsers'>;
  totals: Omit<Shown['totals'], 'records'>;
}> {
  if (customerId === null) {
    const none = { customers: 0, identifiers: 0, disputed_identifiers: 0, browsers: 0 };
    return { lists: { customers: [], identifiers: [], disputed_identifiers: [], browsers: [] }, totals: none };
  }
  const customers = await listSamePerson(tx, profileId, customerId, part);
  const identifiers = await listIdentifiers(tx, profileId, customerId, part);
  const disputed = await listDisputed(tx, profileId, customerId, part);
  const browsers = await listBrowsers(tx, profileId, customerId, part);
  const counts = await countHeld(tx, profileId, customerId);
  return {
    lists: {
      customers: customers.map(({ id, first_seen_at, last_seen_at, created_at, own, ...rest }) => ({
        customer_profile_id: id,
        ...rest,
        first_seen_at: first_seen_at.toISOString(),
        last_seen_at: last_seen_at.toISOString(),
        created_at: created_at.toISOString(),
        own: own && { first_name: own.firstName, last_name: own.lastName, first_seen_at: own.firstSeenAt },
      })),
      identifiers: identifiers.map(toIdentifierResponse),
      disputed_identifiers: disputed.map(toIdentifierResponse),
      browsers: browsers.map(({ linked_at, ...rest }) => ({ ...rest, linked_at: linked_at.toISOString() })),
    },
    totals: {
      customers: counts.customers,
      identifiers: counts.identifiers,
      disputed_identifiers: counts.disputed,
      browsers: await countBrowsers(tx, profileId, customerId),
    },
  };
}

const toIdentifierResponse = (held: { kind: string; value: string; source: string; said_at: Date }) => ({
  kind: held.kind as Shown['identifiers'][number]['kind'],
  value: held.value,
  source: held.source,
  said_at: held.said_at.toISOString(),
});

const stores = { visits: 'visit', 'visitless touches': 'touch', ledger: 'outcome' } as const;

/** Returns the stored row unchanged: the person has a right to every field. */
function toRecordResponse({ at, store, row }: TimelineEvent): Shown['records'][number] {
  return { ...row, store: stores[store], occurred_at: new Date(at).toISOString() };
}
