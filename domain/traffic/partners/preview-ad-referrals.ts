import type { Routes } from '@tributary/contract';
import type { Evidence } from '@tributary/domain/commerce/customers';
import { listConversionsAfter, listOrigins } from '@tributary/domain/commerce/outcomes';
import { findLatestBrowsers } from '@tributary/domain/traffic/ingestion';
import { answer, type Handles, type ProfileContext } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import type { AttributedTouch } from '@tributary/rules';
import { dayMs, limits } from '@tributary/vocabulary';
import { ledgerTouch, visitTouch } from './attributed-touch.ts';
import { type AffectedConversion, countRecredited } from './recredited.ts';
import { readReferrals } from './referrals.ts';
import { resolveCustomers } from './resolve-customers.ts';
import type { PartnerServices } from './services.ts';
import { listCustomerTouches } from './store.ts';

type Context = ProfileContext & PartnerServices;

const browsersPerCustomer = 100;
const maxTouches = 200_000;
const { previewedConversions } = limits.adReferrals;

/**
 * Previews the effect of recording referrals with the same rules and without writes: resolved customers are not saved.
 */
export const previewAdReferrals: Handles<Routes['previewAdReferrals'], PartnerServices> = async ({ body }, context) => {
  const { ledger, signal } = context;
  const found = await ledger.transaction((tx) => readLedger(tx, body, context));
  const { visits, isWhole } = await readVisits(found, context);
  const { counts, isComplete } = await countRecredited(toAffectedConversions(found, visits), signal);
  return answer(200, {
    data: { conversions_recredited: counts, is_complete: isComplete && isWhole && found.isWhole },
  });
};

type LedgerData = Awaited<ReturnType<typeof readLedger>>;

async function readLedger(tx: Tx, body: Parameters<typeof readReferrals>[1], context: Context) {
  const { caller, now, requestId, tombstones } = context;
  const { profileId } = caller;
  const { fresh } = await readReferrals(tx, body, context);
  const evidence: Evidence = { source: 'partner', saidAt: now, requestId };
  const { book, known, customerIds } = await resolveCustomers(tx, profileId, fresh, evidence, tombstones);
  /** The future survivor of each customer. A customer that would be created has no conversions and is not included. */
  const survivorIds = new Map(known.customers.map(({ id }) => [id, book.survivorOf(id)]));
  const added = Map.groupBy(
    fresh.map(({ at, origin, keyHash }, index) => ({
      survivorId: customerIds[index] as string,
      touch: ledgerTouch(keyHash.toString('hex').slice(0, 32), at, origin),
    })),
    ({ survivorId }) => survivorId,
  );
  const after = [...survivorIds].flatMap(([customerId, survivorId]) =>
    (added.get(survivorId) ?? []).map(({ touch }) => ({ customerId, at: new Date(touch.at) })),
  );
  const conversions = await listConversionsAfter(tx, profileId, after, previewedConversions + 1);
  const ids = [...new Set(conversions.map(({ customerId }) => customerId))];
  const affectedIds = new Set(ids.map((id) => survivorIds.get(id)));
  const all = [...survivorIds].flatMap(([id, survivorId]) => (affectedIds.has(survivorId) ? [id] : []));
  const origins = await listOrigins(tx, profileId, all, maxTouches);
  const partners = await listCustomerTouches(tx, profileId, all, maxTouches);
  const ledgerTouches = [...origins, ...partners].map(({ id, customerId, occurredAt, origin }) => ({
    customerId,
    touch: ledgerTouch(id, occurredAt, origin),
  }));
  return {
    survivorIds,
    added,
    ledgerTouches: Map.groupBy(ledgerTouches, ({ customerId }) => customerId),
    browsers: await findLatestBrowsers(tx, profileId, all, browsersPerCustomer),
    conversions: conversions.slice(0, previewedConversions),
    isWhole: conversions.length <= previewedConversions && ledgerTouches.length < maxTouches,
  };
}

/** Reads the touches of browsers within the window of any conversion, by customer. */
async function readVisits({ browsers, conversions }: LedgerData, { clickhouse, caller, signal }: Context) {
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
      { profile_id: caller.profileId, visitor_ids, ...window, limit: maxTouches },
      { signal },
    );
    isWhole &&= rows.length < maxTouches;
    for (const row of rows) {
      const owner = owners.get(row.visitor_id) ?? '';
      const customerTouches = visits.get(owner);
      if (customerTouches) customerTouches.push(visitTouch(row));
      else visits.set(owner, [visitTouch(row)]);
    }
  }
  return { visits, isWhole };
}

function toAffectedConversions(
  { survivorIds, added, ledgerTouches, conversions }: LedgerData,
  visits: ReadonlyMap<string, AttributedTouch[]>,
): AffectedConversion[] {
  const touchesOf = (customerId: string) => [
    ...(visits.get(customerId) ?? []),
    ...(ledgerTouches.get(customerId) ?? []).map(({ touch }) => touch),
  ];
  const customerIdsBySurvivor = Map.groupBy(survivorIds.keys(), (id) => survivorIds.get(id));
  return conversions.map(({ customerId, occurredAt, lookbackDays }) => {
    const survivorId = survivorIds.get(customerId) ?? customerId;
    return {
      at: occurredAt.getTime(),
      lookbackDays,
      before: touchesOf(customerId),
      after: [
        ...(customerIdsBySurvivor.get(survivorId) ?? []).flatMap(touchesOf),
        ...(added.get(survivorId) ?? []).map(({ touch }) => touch),
      ],
    };
  });
}
