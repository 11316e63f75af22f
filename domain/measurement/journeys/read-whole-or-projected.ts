import type { AnswerOf, Routes } from '@tributary/contract';
import { findLineages } from '@tributary/domain/advertising/campaigns';
import { findCustomerKeys, listIdentifiers, listSamePerson } from '@tributary/domain/commerce/customers';
import {
  countConversions,
  findCustomerTotals,
  listNewestConversions,
  type NamedOutcome,
} from '@tributary/domain/commerce/outcomes';
import { answer, type Context } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { conversionIdOf } from '@tributary/rules';
import { limits } from '@tributary/vocabulary';
import { type Credit, creditOf } from './credit.ts';
import { entitiesOfOutcome, entitiesOfTouch } from './event-response.ts';
import type { Person } from './person.ts';
import { projectEvent } from './project-event.ts';
import { readEvents } from './read-events.ts';
import type { JourneyServices } from './services.ts';
import { readTouchline, type Stores, type TimelineQuery } from './timeline.ts';

type Answer = AnswerOf<Routes['readJourneyByKey']>;
type PersonResponse = Extract<Answer['body'], { meta: { person: unknown } }>['meta']['person'];

/**
 * Returns the full journey to callers with customers:read, and otherwise a projection without personal data, credited for the given
 * outcome.
 */
export async function readWholeOrProjected(
  context: Context & Pick<JourneyServices, 'clickhouse'>,
  query: TimelineQuery,
  outcome: NamedOutcome | undefined,
  givenKey?: string,
): Promise<Answer> {
  return context.caller.scopes.has('customers:read')
    ? readWhole(context, query)
    : readProjected(context, query, outcome, givenKey);
}

async function readWhole(
  context: Context & Pick<JourneyServices, 'clickhouse'>,
  query: TimelineQuery,
): Promise<Answer> {
  const { profileId, person } = query;
  const data = await readEvents(context, query);
  const shown = await context.ledger.transaction((tx) => toPersonResponse(tx, profileId, person, data.total_count), {
    readOnly: true,
  });
  context.mentions(person.id);
  return answer(200, { data, meta: { person: shown } });
}

async function toPersonResponse(tx: Tx, profileId: string, person: Person, events: number): Promise<PersonResponse> {
  const { customerId, owner, visitorIds } = person;
  const conversions = await listNewestConversions(tx, profileId, owner, limits.personConversions.newest);
  const shown = conversions.map((one) => ({
    conversion_id: conversionIdOf(one.id),
    conversion_type: one.conversionType,
    event_name: one.eventName,
    occurred_at: one.occurredAt.toISOString(),
    value_amount: one.amount === null ? null : Number(one.amount),
    currency: one.currency,
    revenue_type: one.revenueType,
  }));
  if (customerId === null) {
    const counts = { events, conversions: await countConversions(tx, profileId, owner), browsers: 0 };
    return { customer_profile_id: null, name: null, identifiers: [], counts, conversions: shown };
  }
  const [customer] = await listSamePerson(tx, profileId, customerId, { offset: 0, limit: 1 });
  const identifiers = await listIdentifiers(tx, profileId, customerId, {
    offset: 0,
    limit: limits.personIdentifiers.most,
  });
  const totals = (await findCustomerTotals(tx, profileId, [customerId])).get(customerId);
  return {
    customer_profile_id: customerId,
    name: [customer?.first_name, customer?.last_name].filter(Boolean).join(' ') || null,
    identifiers: identifiers.map(({ kind, value }) => ({
      kind: kind as PersonResponse['identifiers'][number]['kind'],
      value,
    })),
    counts: { events, conversions: totals?.conversionCount ?? 0, browsers: visitorIds.length },
    conversions: shown,
  };
}

/** Also available to callers with customers:read who want the credit of each touch. */
export async function readProjected(
  context: Stores & Pick<Context, 'showKey'>,
  query: TimelineQuery,
  outcome: NamedOutcome | undefined,
  givenKey?: string,
): Promise<Answer> {
  const { profileId, person } = query;
  const credit = outcome && (await findCredit(context, profileId, outcome));
  const lookbackDays = credit?.lookbackDays ?? outcome?.lookbackDays ?? 0;
  const subject = outcome && { at: outcome.occurredAt.getTime(), lookbackDays, credit };
  const { events, totalCount } = await readTouchline(context, query);
  const { lineages, key } = await context.ledger.transaction(
    async (tx) => ({
      lineages: await findLineages(
        tx,
        profileId,
        events.flatMap((event) =>
          event.store === 'touches' ? entitiesOfTouch(event.row) : entitiesOfOutcome(event.row),
        ),
      ),
      key: person.customerId && (await findCustomerKeys(tx, profileId, [person.customerId])).get(person.customerId),
    }),
    { readOnly: true },
  );
  return answer(200, {
    data: { events: events.map((event) => projectEvent(event, subject, lineages)), total_count: totalCount },
    meta: {
      conversion: {
        conversion_id: outcome ? conversionIdOf(outcome.id) : null,
        customer_key: context.showKey({
          of: person.id,
          profileId,
          key,
          said: givenKey,
          isListed: outcome !== undefined && givenKey === undefined,
        }),
      },
    },
  });
}

async function findCredit(
  { clickhouse, signal }: Stores,
  profileId: string,
  { id, occurredAt }: NamedOutcome,
): Promise<Credit | undefined> {
  const [row] = await clickhouse.query(
    'journey_read_credit',
    { profile_id: profileId, conversion_id: id, conversion_time: occurredAt },
    { signal },
  );
  return row && creditOf(row);
}
