import { firstPayments, fromMinorUnits, minorDigits } from '@tributary/rules';
import { dayMs, minuteMs } from '@tributary/vocabulary';
import { arrivalTime } from './lateness.ts';
import type { Market } from './market.ts';
import type { Browser, Cause, Exposure, Money, Outcome } from './person.ts';
import { currencyWithoutRate, unitsForDollar } from './rates.ts';
import type { SeededRandom } from './seeded-random.ts';
import { dayIn } from './week.ts';

export interface Buyer {
  readonly person: number;
  readonly customerId: string | null;
  readonly currency: string;
  readonly exposures: readonly Exposure[];
  readonly browsers: readonly Browser[];
  /** A fixed number of purchases, instead of those caused by ads. */
  readonly purchases?: number;
}

/** In US cents. */
const prices = [990, 1_499, 1_990, 2_490, 3_333, 4_990, 7_990, 12_900, 19_990, 49_900] as const;

export function buy(market: Market, dice: SeededRandom, buyer: Buyer): Outcome[] {
  const outcomes: Outcome[] = [];
  const visitors = buyer.customerId === null ? buyer.browsers.filter(({ touches }) => touches.length > 0) : [];
  const record = (eventName: Outcome['eventName'], at: number, causes: readonly Cause[], price?: number) => {
    const money = price === undefined ? null : pay(market, dice, buyer.currency, at, price);
    const visitor = visitors.length > 0 && dice.chance(0.8) ? dice.pick(visitors) : undefined;
    outcomes.push({
      id: dice.uuid7(at),
      idempotencyKey: `${eventName}-${buyer.person}-${outcomes.length}`,
      eventName,
      at,
      arrivesAt: arrivalTime(dice, at),
      customerId: buyer.customerId,
      visitorId: visitor?.visitorId ?? null,
      money,
      subjectRef: eventName === 'payment_received' && dice.chance(0.08) ? `case-${dice.between(1, 3)}` : null,
      standing: null,
      causes,
    });
  };
  const hasPassed = (at: number) => at >= market.until;
  const purchase = (at: number, causes: readonly Cause[]) => {
    const price = dice.pick(prices);
    if (dice.chance(0.25)) record('order_placed', at, causes, price);
    if (!dice.chance(0.1)) return record('payment_received', at, causes, price);
    // A deposit, and the balance within the week.
    const balanceAt = at + dice.between(dayMs, 6 * dayMs);
    record('payment_received', at, causes, Math.floor(price / 3));
    if (!hasPassed(balanceAt)) record('payment_received', balanceAt, causes, price - Math.floor(price / 3));
  };

  for (let left = buyer.purchases ?? 0; left > 0; left -= 1) {
    record('payment_received', momentIn(market, dice), ['own_accord'], dice.pick(prices));
  }
  const reason = buyer.purchases === undefined ? whyBuy(market, dice, buyer.exposures) : undefined;
  if (reason) {
    const { causes } = reason;
    const leadAt = reason.at - dice.between(minuteMs, 3 * dayMs);
    if (dice.chance(0.4) && leadAt >= market.from) record('lead_created', leadAt, causes);
    // A new buyer buys again, which they would not have done without the first purchase.
    for (let at = reason.at; !hasPassed(at); at += dice.between(3 * dayMs, 40 * dayMs)) {
      purchase(at, causes);
      if (dice.chance(0.6)) break;
    }
  } else if (buyer.purchases === undefined) {
    const at = momentIn(market, dice);
    const draw = dice.unit();
    if (draw < 0.12) record('lead_created', at, ['own_accord']);
    else if (draw < 0.15) record('quote_sent', at, ['own_accord'], dice.pick(prices));
    else if (draw < 0.2) record('newsletter_joined', at, ['own_accord']);
  }
  return withFirstPaymentStatus(outcomes);
}

const momentIn = (market: Market, dice: SeededRandom): number =>
  market.isGentle
    ? market.from + dayIn(market, dice) * dayMs + dice.below(dayMs)
    : market.from + dice.below(market.until - market.from);

/**
 * Decides whether a person becomes a buyer, when, and why. Each ad they met may be sufficient by itself, and so may
 * their own demand. So for each ad it is known who would not have bought without it.
 */
function whyBuy(
  market: Market,
  dice: SeededRandom,
  exposures: readonly Exposure[],
): { at: number; causes: readonly Cause[] } | undefined {
  const moves: { at: number; cause: Cause }[] = [];
  if (dice.chance(market.isGentle ? 0.05 : 0.12)) moves.push({ at: momentIn(market, dice), cause: 'own_accord' });
  for (const { ad, at, isClick } of strongestOfEach(exposures)) {
    const isMoved = dice.chance(isClick ? ad.truth.clickEffect : ad.truth.viewEffect);
    const lag = dice.between(10 * minuteMs, dice.chance(0.5) ? dayMs : 12 * dayMs);
    // An effect after the end of the market does not count.
    if (isMoved && at + lag < market.until) moves.push({ at: at + lag, cause: ad });
  }
  if (moves.length === 0) return undefined;
  return { at: Math.min(...moves.map(({ at }) => at)), causes: moves.map(({ cause }) => cause) };
}

/** An ad has one chance per person: the first click, or the first view if it was never clicked. */
function strongestOfEach(exposures: readonly Exposure[]): Iterable<Exposure> {
  const strongest = new Map<number, Exposure>();
  for (const exposure of exposures) {
    const strongestSoFar = strongest.get(exposure.ad.number);
    const isStronger =
      strongestSoFar &&
      (strongestSoFar.isClick === exposure.isClick ? exposure.at < strongestSoFar.at : exposure.isClick);
    if (!strongestSoFar || isStronger) strongest.set(exposure.ad.number, exposure);
  }
  return strongest.values();
}

function pay(market: Market, dice: SeededRandom, usual: string, at: number, cents: number): Money {
  const currency = dice.chance(0.005) && !market.isGentle ? currencyWithoutRate : usual;
  const paid = BigInt(Math.max(1, Math.round(cents * unitsForDollar(currency) * 10 ** (minorDigits(currency) - 2))));
  const draw = dice.unit();
  const share = draw < 0.03 ? paid : draw < 0.08 ? paid / 3n : 0n;
  const refunds = share > 0n ? [{ at: at + dice.between(dayMs, 20 * dayMs), amount: share }] : [];
  const net = paid - share;
  const { reportingCurrency, rates } = market;
  const converted = rates.convert(fromMinorUnits(net, currency), currency, reportingCurrency, market.dayOf(at));
  return { currency, paid, refunds, net, reporting: converted ?? null };
}

/** First payments belong to customers; an anonymous payment has none. */
function withFirstPaymentStatus(outcomes: readonly Outcome[]): Outcome[] {
  const payments = outcomes.filter(({ eventName, customerId }) => eventName === 'payment_received' && customerId);
  if (payments.length === 0) return [...outcomes];
  const statuses = firstPayments(
    payments.map(({ id, at, subjectRef }) => ({ id, paidAt: new Date(at), subjectRef, isInstallment: false })),
  );
  return outcomes.map((outcome) => ({ ...outcome, standing: statuses.get(outcome.id) ?? null }));
}
