import type { Routes } from '@tributary/contract';
import type { Evidence } from '@tributary/domain/customers';
import { findLatestBrowsers } from '@tributary/domain/ingestion';
import { listConversionsAfter, listOrigins } from '@tributary/domain/outcomes';
import { answer, type Handles, type ProfileContext } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import type { AttributedTouch } from '@tributary/rules';
import { dayMs, limits } from '@tributary/vocabulary';
import { resolveNamed } from './named-customers.ts';
import { type Concerned, countRecredited } from './recredited.ts';
import { readReferrals } from './referrals.ts';
import type { PartnerServices } from './services.ts';
import { listOfCustomers } from './store.ts';
import { toldTouch, visitTouch } from './told-touch.ts';

type Context = ProfileContext & PartnerServices;

const browsersOfPerson = 100;
const mostTouches = 200_000;
const { previewedConversions } = limits.adReferrals;

/** What recording the referrals would change, by the same rules and without a write: customers are looked up in a book that is thrown away. */
export const previewAdReferrals: Handles<Routes['previewAdReferrals'], PartnerServices> = async ({ body }, context) => {
  const { ledger, signal } = context;
  const found = await ledger.transaction((tx) => lookUp(tx, body, context));
  const { visits, isWhole } = await readVisits(found, context);
  const { counts, isComplete } = await countRecredited(concerned(found, visits), signal);
  return answer(200, {
    data: { conversions_recredited: counts, is_complete: isComplete && isWhole && found.isWhole },
  });
};

type Found = Awaited<ReturnType<typeof lookUp>>;

async function lookUp(tx: Tx, body: Parameters<typeof readReferrals>[1], context: Context) {
  const { caller, now, requestId, tombstones } = context;
  const { profileId } = caller;
  const { fresh } = await readReferrals(tx, body, context);
  const evidence: Evidence = { source: 'partner', saidAt: now, requestId };
  const { book, known, customerIds } = await resolveNamed(tx, profileId, fresh, evidence, tombstones);
  /** By customer, who they are and would be: somebody whom nobody knows yet has no conversions. */
  const people = new Map(known.customers.map(({ id }) => [id, book.survivorOf(id)]));
  const added = Map.groupBy(
    fresh.map(({ at, origin, toldAs }, index) => ({
      personId: customerIds[index] as string,
      touch: toldTouch(toldAs.toString('hex').slice(0, 32), at, origin),
    })),
    ({ personId }) => personId,
  );
  const after = [...people].flatMap(([customerId, personId]) =>
    (added.get(personId) ?? []).map(({ touch }) => ({ customerId, at: new Date(touch.at) })),
  );
  const conversions = await listConversionsAfter(tx, profileId, after, previewedConversions + 1);
  const ids = [...new Set(conversions.map(({ customerId }) => customerId))];
  const persons = new Set(ids.map((id) => people.get(id)));
  const all = [...people].flatMap(([id, personId]) => (persons.has(personId) ? [id] : []));
  const origins = await listOrigins(tx, profileId, all, mostTouches);
  const partners = await listOfCustomers(tx, profileId, all, mostTouches);
  const told = [...origins, ...partners].map(({ id, customerId, occurredAt, origin }) => ({
    customerId,
    touch: toldTouch(id, occurredAt, origin),
  }));
  return {
    people,
    added,
    told: Map.groupBy(told, ({ customerId }) => customerId),
    browsers: await findLatestBrowsers(tx, profileId, all, browsersOfPerson),
    conversions: conversions.slice(0, previewedConversions),
    isWhole: conversions.length <= previewedConversions && told.length < mostTouches,
  };
}

/** Touches of browsers within any conversion's window, by customer. */
async function readVisits({ browsers, conversions }: Found, { clickhouse, caller, signal }: Context) {
  const visits = new Map<string, AttributedTouch[]>();
  if (browsers.length === 0 || conversions.length === 0) return { visits, isWhole: true };
  const times = conversions.map(({ occurredAt }) => occurredAt.getTime());
  const owners = new Map(browsers.map(({ visitorId, customerId }) => [visitorId, customerId]));
  const most = limits.lookback.days.max * dayMs;
  const window = {
    since: new Date(times.reduce((a, b) => Math.min(a, b)) - most),
    until: new Date(times.reduce((a, b) => Math.max(a, b))),
  };
  let isWhole = true;
  const ids = [...owners.keys()];
  for (let start = 0; start < ids.length; start += 2_000) {
    const visitor_ids = ids.slice(start, start + 2_000);
    const rows = await clickhouse.query(
      'touch_list_of_visitors',
      { profile_id: caller.profileId, visitor_ids, ...window, limit: mostTouches },
      { signal },
    );
    isWhole &&= rows.length < mostTouches;
    for (const row of rows) {
      const owner = owners.get(row.visitor_id) ?? '';
      const mine = visits.get(owner);
      if (mine) mine.push(visitTouch(row));
      else visits.set(owner, [visitTouch(row)]);
    }
  }
  return { visits, isWhole };
}

function concerned(
  { people, added, told, conversions }: Found,
  visits: ReadonlyMap<string, AttributedTouch[]>,
): Concerned[] {
  const touchesOf = (customerId: string) => [
    ...(visits.get(customerId) ?? []),
    ...(told.get(customerId) ?? []).map(({ touch }) => touch),
  ];
  const kin = Map.groupBy(people.keys(), (id) => people.get(id));
  return conversions.map(({ customerId, occurredAt, lookbackDays }) => {
    const personId = people.get(customerId) ?? customerId;
    return {
      at: occurredAt.getTime(),
      lookbackDays,
      before: touchesOf(customerId),
      after: [
        ...(kin.get(personId) ?? []).flatMap(touchesOf),
        ...(added.get(personId) ?? []).map(({ touch }) => touch),
      ],
    };
  });
}
