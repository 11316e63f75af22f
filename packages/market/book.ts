import { type AttributedTouch, type Definition, initialDefinitions } from '@tributary/rules';
import type { Ad } from './ads.ts';
import { DeliveryBook } from './delivery.ts';
import { isLate } from './lateness.ts';
import type { Market } from './market.ts';
import type { Browser, Household, Money, Outcome, Person, Touch } from './person.ts';

/** The shop's event definitions: shorter lookbacks than the default, and quotes that are not attributed. */
export const definitions: readonly Definition[] = initialDefinitions.map((definition) => ({
  ...definition,
  lookbackWindowDays: { lead_created: 14, order_placed: 30 }[definition.key] ?? 90,
  isAttributionEligible: definition.key !== 'quote_sent',
}));

const definitionOf = new Map(definitions.map((definition) => [definition.key, definition]));

/** A conversion as it actually happened. */
export interface BookedConversion {
  readonly outcome: Outcome;
  readonly person: Person;
  readonly at: number;
  readonly day: string;
  readonly conversionType: string;
  readonly lookbackDays: number;
  /** The amount paid and what remains of it; null if there is no money. */
  readonly money: Money | null;
  /** In minor units of the reporting currency, net of refunds; 0 without money or without a rate. */
  readonly value: bigint;
  readonly hasValue: boolean;
}

/**
 * The conversions of a household: its outcomes, except those without a definition or not eligible for attribution.
 */
export function conversionsOf(market: Market, household: Household): BookedConversion[] {
  return household.people.flatMap((person) =>
    person.outcomes.flatMap((outcome): BookedConversion[] => {
      const definition = definitionOf.get(outcome.eventName);
      if (!definition?.isAttributionEligible) return [];
      const { money, at } = outcome;
      return [
        {
          outcome,
          person,
          at,
          day: market.dayOf(at),
          conversionType: definition.conversionType,
          lookbackDays: definition.lookbackWindowDays,
          money,
          value: money?.reporting?.value ?? 0n,
          hasValue: money === null || money.reporting !== null,
        },
      ];
    }),
  );
}

/**
 * The touches that the ledger assigns to a conversion, including late ones. A customer has all browsers linked to
 * them, regardless of who used them; an anonymous visitor has the browser of the conversion.
 */
export function touchesOf({ browsers }: Household, { outcome, person }: BookedConversion): AttributedTouch[] {
  const isTheirs = ({ visitorId, linkedTo }: Browser) =>
    outcome.customerId === null ? outcome.visitorId === visitorId : linkedTo === person.index;
  return browsers.filter(isTheirs).flatMap(({ touches }) => touches.map(toAttributedTouch));
}

const toAttributedTouch = ({ id, at, sessionId, arrival }: Touch): AttributedTouch => ({
  touchId: id,
  at,
  sessionId,
  channel: arrival.channel,
  source: arrival.source,
  medium: arrival.medium,
  platform: arrival.platform,
  campaignId: arrival.named.campaign?.id ?? null,
  adSetId: arrival.named.adSet?.id ?? null,
  adId: arrival.named.ad?.id ?? null,
});

/** Totals of the market. Money is in minor units of the reporting currency. */
export interface Totals {
  people: number;
  customers: number;
  browsers: number;
  links: number;
  touches: number;
  /** Touches that the stream delivers twice. */
  copies: number;
  lateTouches: number;
  outcomes: number;
  conversions: number;
  value: bigint;
  withoutRate: number;
}

/** The true effect of an ad. */
export interface TrueEffect {
  readonly ad: Ad;
  /** People, each counted once. */
  clicked: number;
  onlyViewed: number;
  /** People who would not have bought without the ad, and what they paid. */
  buyers: number;
  revenue: bigint;
}

/**
 * The market's record of what actually happened. It receives one household at a time and stores sums only, so its
 * size does not grow with the number of people.
 */
export class Book {
  readonly #market: Market;
  readonly totals: Totals = {
    people: 0,
    customers: 0,
    browsers: 0,
    links: 0,
    touches: 0,
    copies: 0,
    lateTouches: 0,
    outcomes: 0,
    conversions: 0,
    value: 0n,
    withoutRate: 0,
  };
  /** Indexed by the ad's number. */
  readonly effects: readonly TrueEffect[];
  readonly delivery: DeliveryBook;

  constructor(market: Market) {
    this.#market = market;
    this.effects = market.ads.map((ad) => ({ ad, clicked: 0, onlyViewed: 0, buyers: 0, revenue: 0n }));
    this.delivery = new DeliveryBook(market);
  }

  add(household: Household): void {
    for (const browser of household.browsers) this.#addBrowser(browser);
    for (const person of household.people) {
      this.totals.people += 1;
      if (person.customer) this.totals.customers += 1;
      this.totals.outcomes += person.outcomes.length;
      this.#addEffects(person);
      this.delivery.add(person);
    }
    for (const { value, hasValue } of conversionsOf(this.#market, household)) {
      this.totals.conversions += 1;
      this.totals.value += value;
      if (!hasValue) this.totals.withoutRate += 1;
    }
  }

  #addBrowser({ touches, linkedTo }: Browser): void {
    this.totals.browsers += 1;
    if (linkedTo !== null) this.totals.links += 1;
    this.totals.touches += touches.length;
    for (const touch of touches) {
      this.totals.copies += touch.copies - 1;
      if (isLate(touch)) this.totals.lateTouches += 1;
    }
  }

  #addEffects({ exposures, outcomes }: Person): void {
    const hasClicked = new Map<TrueEffect, boolean>();
    for (const { ad, isClick } of exposures) {
      const effect = this.effects[ad.number] as TrueEffect;
      hasClicked.set(effect, isClick || (hasClicked.get(effect) ?? false));
    }
    for (const [effect, isClick] of hasClicked) effect[isClick ? 'clicked' : 'onlyViewed'] += 1;
    const payments = outcomes.filter(({ eventName }) => eventName === 'payment_received');
    const [cause, ...others] = payments[0]?.causes ?? [];
    if (cause === undefined || cause === 'own_accord' || others.length > 0) return;
    const effect = this.effects[cause.number] as TrueEffect;
    effect.buyers += 1;
    for (const { money } of payments) effect.revenue += money?.reporting?.value ?? 0n;
  }
}
