import { fromMinorUnits } from '@tributary/rules';
import { hourMs } from '@tributary/vocabulary';
import { clickAddress, shop } from './arrivals.ts';
import { definitions } from './book.ts';
import { households } from './household.ts';
import { isLate } from './lateness.ts';
import type { Market } from './market.ts';
import type { Browser, Customer, Household, Outcome, Touch } from './person.ts';
import { SeededRandom } from './seeded-random.ts';

/** A request of the public API, and when it is sent. */
export interface MarketRequest {
  readonly sentAt: number;
  /** A browser authenticates with the tracking key in the body; a server with its API key. */
  readonly sender: 'browser' | 'server';
  readonly method: 'POST';
  readonly path: '/v1/visits' | '/api/v1/events' | '/api/v1/customers' | '/api/v1/goals/definitions';
  readonly body: Readonly<Record<string, unknown>>;
}

/** All requests are sorted in memory. */
const maxPeople = 20_000;
const rowsOfImport = 500;

/**
 * Returns a small market as the requests that its shop and its browsers would send: the shop's definitions, its
 * customers, then visits and outcomes as they arrive, refunds after payments, some late and some twice. The sender
 * must advance the clock accordingly: a visit older than a month is rejected.
 */
export function asRequests(market: Market, { trackingKey }: { readonly trackingKey: string }): MarketRequest[] {
  if (market.people > maxPeople) throw new RangeError(`For requests a market has up to ${maxPeople} people.`);
  const customers: Customer[] = [];
  const requests: MarketRequest[] = [];
  for (const household of households(market)) {
    customers.push(...household.people.flatMap(({ customer }) => customer ?? []));
    for (const browser of household.browsers) requests.push(...visitsOf(market, household, browser, trackingKey));
    for (const person of household.people) {
      for (const outcome of person.outcomes) requests.push(...eventsOf(household, person.customer, outcome));
    }
  }
  requests.sort((a, b) => a.sentAt - b.sentAt);
  return [...definitionsOf(market), ...importsOf(market, customers), ...requests];
}

const definitionsOf = ({ from }: Market): MarketRequest[] =>
  definitions.map((definition) => ({
    sentAt: from,
    sender: 'server',
    method: 'POST',
    path: '/api/v1/goals/definitions',
    body: {
      name: definition.key.replaceAll('_', ' '),
      conversion_key: definition.key,
      conversion_type: definition.conversionType,
      event_names: definition.eventNames,
      counts_as_cash: definition.countsAsCash,
      is_attribution_eligible: definition.isAttributionEligible,
      lookback_window_days: definition.lookbackWindowDays,
      is_default: definition.isDefault,
    },
  }));

/**
 * Imported by e-mail only: a shared phone would merge a family into one customer if it was imported before they are
 * known.
 */
function* importsOf({ from }: Market, customers: readonly Customer[]): Generator<MarketRequest> {
  for (let start = 0; start < customers.length; start += rowsOfImport) {
    const rows = customers.slice(start, start + rowsOfImport).map(({ email, externalId, firstName, lastName }) => ({
      email,
      external_id: externalId,
      first_name: firstName,
      last_name: lastName,
    }));
    yield { sentAt: from, sender: 'server', method: 'POST', path: '/api/v1/customers', body: { country: 'CL', rows } };
  }
}

/** A browser sends one session at a time. Late touches are sent alone, later. */
function* visitsOf(market: Market, household: Household, browser: Browser, key: string): Generator<MarketRequest> {
  const dice = new SeededRandom(market.seed, 0x5e55, browser.touches[0]?.at ?? household.index);
  const customer = household.people.find(({ index }) => index === browser.linkedTo)?.customer;
  let isIdentified = customer === undefined || customer === null;
  const send = (sentAt: number, visits: readonly object[]): MarketRequest => ({
    sentAt,
    sender: 'browser',
    method: 'POST',
    path: '/v1/visits',
    body: { key, client_id: browser.clientId, visits },
  });
  for (const session of Map.groupBy(browser.touches, ({ sessionId }) => sessionId).values()) {
    const visits = session.filter((touch) => !isLate(touch)).map((touch) => arrivalVisit(dice, touch));
    const [entry] = session;
    if (entry && !isIdentified) {
      isIdentified = true;
      visits.push(furtherVisit(dice, entry, { type: 'identify', traits: { email: customer?.email } }));
    }
    if (entry && dice.chance(0.4)) visits.push(furtherVisit(dice, entry, { type: 'page_view', referrer: `${shop}/` }));
    if (entry && dice.chance(0.1)) {
      visits.push(furtherVisit(dice, entry, { type: 'page_view', referrer: 'https://www.paypal.com/checkoutnow' }));
    }
    if (entry && dice.chance(0.2)) {
      visits.push(furtherVisit(dice, entry, { type: 'track', name: 'add_to_cart', properties: { quantity: 1 } }));
    }
    const last = Math.max(...session.map(({ at }) => at)) + hourMs;
    if (visits.length > 0) {
      for (let copy = Math.max(...session.map(({ copies }) => copies)); copy > 0; copy -= 1) yield send(last, visits);
    }
    for (const touch of session.filter(isLate)) yield send(touch.arrivesAt, [arrivalVisit(dice, touch)]);
  }
}

const arrivalVisit = (dice: SeededRandom, { id, at, sessionId, isSessionStart, arrival }: Touch): object => ({
  id,
  at: instant(at),
  type: 'page_view',
  session_id: sessionId,
  is_session_start: isSessionStart,
  url: clickAddress(arrival, dice.uuid7(at).replaceAll('-', '')),
  ...(arrival.referrer && { referrer: arrival.referrer }),
});

/** A further event in a running session: not a touch. */
function furtherVisit(dice: SeededRandom, { at, sessionId }: Touch, more: Readonly<Record<string, unknown>>): object {
  const when = at + dice.between(30_000, 20 * 60_000);
  return {
    id: dice.uuid7(when),
    at: instant(when),
    session_id: sessionId,
    is_session_start: false,
    url: `${shop}/cart`,
    ...more,
  };
}

/** The outcome when the shop reports it, and then each refund. */
function* eventsOf(household: Household, customer: Customer | null, outcome: Outcome): Generator<MarketRequest> {
  const { money } = outcome;
  const send = (sentAt: number, body: MarketRequest['body']): MarketRequest => ({
    sentAt,
    sender: 'server',
    method: 'POST',
    path: '/api/v1/events',
    body,
  });
  yield send(outcome.arrivesAt, {
    event_name: outcome.eventName,
    idempotency_key: outcome.idempotencyKey,
    occurred_at: instant(outcome.at),
    properties: {
      ...(money && { value: fromMinorUnits(money.paid, money.currency), currency: money.currency }),
      ...(outcome.subjectRef && { subject_ref: outcome.subjectRef }),
    },
    user_traits: traitsOf(household, customer, outcome),
  });
  for (const [index, { at, amount }] of (money?.refunds ?? []).entries())
    yield send(Math.max(at, outcome.arrivesAt + 1), {
      event_name: 'refund',
      idempotency_key: `${outcome.idempotencyKey} refund ${index}`,
      refund_of: outcome.idempotencyKey,
      occurred_at: instant(at),
      properties: money ? { value: fromMinorUnits(amount, money.currency), currency: money.currency } : {},
    });
}

/** A browser is identified by its client id; the shop does not know the stored visitor id. */
function traitsOf({ browsers }: Household, customer: Customer | null, { visitorId }: Outcome): object {
  if (customer) {
    const { email, externalId, phone } = customer;
    return { email, external_id: externalId, ...(phone && { phone }) };
  }
  const browser = browsers.find((one) => one.visitorId === visitorId);
  return browser ? { visitor_id: browser.clientId } : {};
}

const instant = (at: number): string => new Date(at).toISOString();
