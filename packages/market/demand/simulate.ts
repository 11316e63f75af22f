import {
  adsPerCampaign,
  brand,
  campaignCount,
  coupon,
  direct,
  email,
  followDisplay,
  followSocial,
  organic,
  pushed,
  referral,
  searchA,
  searchB,
  shopping,
} from './campaigns.ts';
import { hashRandom, thrownNormal } from './hash-random.ts';
import type { DemandMarket } from './world.ts';

/** A change of the world for a counterfactual simulation. */
export interface Change {
  /** A factor for a campaign's spend at a place on a day. */
  readonly budget?: (campaign: number, place: number, day: number) => number;
  /** Ads that are turned off, for some campaigns, people or days. */
  readonly isOff?: (campaign: number, ad: number, person: number, day: number) => boolean;
}

export interface Observer {
  /** Times are fractional days. */
  touch?(person: number, source: number, ad: number, at: number): void;
  buy?(person: number, at: number, value: number): void;
}

export interface Lived {
  /** The value bought since `countFrom`. */
  readonly value: number;
  readonly orders: number;
  /** By place and day. */
  readonly valueOfDay: Float64Array;
  readonly ordersOfDay: Float64Array;
  /** By place, day and campaign. */
  readonly shown: Float64Array;
  readonly clicks: Float64Array;
  /**
   * For each person, a bit for every campaign that could have influenced them: without it, only these people behave
   * differently.
   */
  readonly metBy: Uint16Array;
  /** The value that each person bought since `countFrom`. */
  readonly paidBy: Float64Array;
}

const needDays = 10;
const rememberDays = 14;
const neverVisited = -99;

/** Simulates all people day by day. With `among`, only the selected people are simulated. */
export function live(
  market: DemandMarket,
  change: Change = {},
  { witness = {}, among }: { witness?: Observer; among?: (person: number) => boolean } = {},
): Lived {
  const life = new Life(market, change, witness);
  for (let person = 0; person < market.people; person += 1) if (among === undefined || among(person)) life.of(person);
  return life.lived;
}

class Life {
  readonly lived: { -readonly [Name in keyof Lived]: Lived[Name] };
  readonly #market: DemandMarket;
  readonly #isOff: Change['isOff'];
  readonly #witness: Observer;
  readonly #budgets: Float64Array;
  readonly #stock = new Float64Array(pushed.length);
  #seed = 0;
  #person = 0;
  #day = 0;
  /** The index of today's figures of the person's place. */
  #cell = 0;
  #campaigns = 0;
  #needsUntil = -1;
  #eagerness = 0;
  #lastVisit = neverVisited;
  #boughtOn = -1;
  #comesBackOn = -1;
  #met = 0;

  constructor(market: DemandMarket, { budget, isOff }: Change, witness: Observer) {
    const { places, days, people, seed } = market;
    this.#market = market;
    this.#seed = seed;
    this.#isOff = isOff;
    this.#witness = witness;
    this.#budgets = budget
      ? market.budgets.map((usual, index) => {
          const day = Math.floor(index / campaignCount);
          return usual * budget(index % campaignCount, Math.floor(day / days), day % days);
        })
      : market.budgets;
    this.lived = {
      value: 0,
      orders: 0,
      valueOfDay: new Float64Array(places * days),
      ordersOfDay: new Float64Array(places * days),
      shown: new Float64Array(places * days * campaignCount),
      clicks: new Float64Array(places * days * campaignCount),
      metBy: new Uint16Array(people),
      paidBy: new Float64Array(people),
    };
  }

  of(person: number): void {
    const { days, placeOf, affinity } = this.#market;
    this.#person = person;
    this.#needsUntil = -1;
    this.#eagerness = 0;
    this.#lastVisit = neverVisited;
    this.#boughtOn = -1;
    this.#comesBackOn = -1;
    this.#met = 0;
    this.#stock.fill(0);
    const place = placeOf[person] ?? 0;
    const closeness = affinity[person] ?? 1;
    const audience = closeness ** 0.4;
    for (this.#day = 0; this.#day < days; this.#day += 1) {
      this.#cell = place * days + this.#day;
      this.#campaigns = this.#cell * campaignCount;
      this.#meetAds(closeness, audience);
      this.#needByOneself(closeness);
      this.#comeBack();
      this.#getMail();
    }
    this.lived.metBy[person] = this.#met;
  }

  #throw(slot: number): number {
    return hashRandom(this.#seed, this.#person, this.#day, slot);
  }

  #needs(): boolean {
    return this.#day <= this.#needsUntil;
  }

  /**
   * The campaign's spend factor here and today, zero if the current ad is turned off. Records that the person could
   * behave differently without it.
   */
  #spend(campaign: number, slot: number): number {
    this.#met |= 1 << campaign;
    if (this.#isOff?.(campaign, this.#adOf(slot), this.#person, this.#day)) return 0;
    return this.#budgets[this.#campaigns + campaign] ?? 0;
  }

  #adOf(slot: number): number {
    return Math.floor(adsPerCampaign * this.#throw(1_000 + slot));
  }

  #show(campaign: number): void {
    const at = this.#campaigns + campaign;
    this.lived.shown[at] = (this.lived.shown[at] ?? 0) + 1;
  }

  /** Push ads: they create a need, or are clicked without one. Recent exposures weaken the next one. */
  #meetAds(closeness: number, anybody: number): void {
    for (let place = 0; place < pushed.length; place += 1) {
      const ad = pushed[place] as (typeof pushed)[number];
      const stock = 0.8 * (this.#stock[place] ?? 0);
      this.#stock[place] = stock;
      // Fast path: on most days a person is not reached at any budget, so only a sufficiently low random number is
      // evaluated further.
      const luck = this.#throw(10 + place);
      const audience = ad.reach * (ad.seeksBuyers ? closeness * closeness * (this.#needs() ? 4 : 1) : anybody);
      if (luck >= audience * (this.#budgets[this.#campaigns + ad.campaign] ?? 0)) continue;
      const { campaign, effect, idleClicks, isViewOnly, seeksBuyers } = ad;
      if (luck >= audience * this.#spend(campaign, 10 + place)) continue;
      this.#show(campaign);
      this.#stock[place] = stock + 1;
      const makes = this.#needs()
        ? 0
        : (this.#market.nature.strength * effect * Math.sqrt(closeness)) / (1 + 0.4 * stock);
      if (this.#throw(20 + place) < makes) {
        this.#needsUntil = this.#day + needDays;
        this.#eagerness = Math.max(this.#eagerness, 0.9);
        if (!isViewOnly && this.#throw(30 + place) < 0.5) this.#visit(campaign, 30 + place, 10 + place);
        else this.#comesBackOn = this.#day + 1 + Math.floor(3 * this.#throw(40 + place));
      } else if (this.#throw(50 + place) < (this.#needs() ? (seeksBuyers ? 0.1 : 0.02) : idleClicks)) {
        this.#visit(campaign, 50 + place, 10 + place);
      }
    }
  }

  /** A spontaneous need: the person searches for the product or the shop, follows a referral, or visits directly. */
  #needByOneself(closeness: number): void {
    const { nature, season, shocks } = this.#market;
    if (this.#needs()) return;
    if (this.#throw(1) >= nature.needs * closeness * (season[this.#day] ?? 1) * (shocks[this.#cell] ?? 1)) return;
    const way = this.#throw(2);
    const arrival =
      way < 0.4
        ? this.#searchForIt()
        : { source: way < 0.7 ? this.#searchForUs(5) : way < 0.85 ? referral : direct, quality: 1 };
    if (arrival.source === undefined) return;
    this.#needsUntil = this.#day + needDays;
    this.#eagerness = arrival.quality;
    this.#visit(arrival.source, 1, 3);
  }

  /** Three in ten find the shop in the organic results. */
  #searchForIt(): { source: number | undefined; quality: number } {
    const luck = this.#throw(3);
    const share = (campaign: number, most: number) => most * Math.min(1.6, this.#spend(campaign, 3));
    const a = share(searchA, 0.3);
    const b = a + share(searchB, 0.15);
    const c = b + share(shopping, 0.22);
    for (const campaign of [searchA, searchB, shopping]) this.#show(campaign);
    if (luck < a) return { source: searchA, quality: 1 };
    if (luck < b) return { source: searchB, quality: 0.35 };
    if (luck < c) return { source: shopping, quality: 0.8 };
    return { source: this.#throw(4) < 0.3 ? organic : undefined, quality: 1 };
  }

  /**
   * The person enters the URL, or searches for the name, where our ad is usually above the organic result. Without
   * the ad, a few are lost to a competitor.
   */
  #searchForUs(slot: number): number | undefined {
    if (this.#throw(70 + slot) >= 0.5) return direct;
    if (this.#throw(80 + slot) < 0.9 * this.#spend(brand, 80 + slot)) {
      this.#show(brand);
      return this.#throw(90 + slot) < 0.75 ? brand : organic;
    }
    return this.#throw(95 + slot) >= this.#market.nature.lostWithoutBrand ? organic : undefined;
  }

  /** A person with a need returns; a retargeting ad may be the way back, or sometimes the reason. */
  #comeBack(): void {
    const isFollowed = this.#lastVisit > this.#day - rememberDays && this.#lastVisit < this.#day;
    if (this.#lastVisit < this.#day && this.#needs()) {
      if (this.#comesBackOn === this.#day || this.#throw(6) < 0.3) {
        if (isFollowed && this.#isFollowing(followSocial, 7) && this.#throw(8) < this.#market.nature.followed) {
          this.#visit(followSocial, 7, 7);
        } else {
          const source = this.#searchForUs(8);
          if (source !== undefined) this.#visit(source, 8, 88);
        }
      } else if (isFollowed && this.#isFollowing(followSocial, 60)) {
        this.#show(followSocial);
        if (this.#throw(61) < 0.02) this.#visit(followSocial, 61, 60);
      }
    }
    if (!isFollowed || this.#lastVisit === this.#day) return;
    if (this.#throw(62) >= 0.4 * this.#spend(followDisplay, 62)) return;
    this.#show(followDisplay);
    // Accidental clicks never lead to a purchase.
    if (this.#needs() && this.#throw(63) < 0.02) this.#visit(followDisplay, 63, 62, false);
  }

  #isFollowing(campaign: number, slot: number): boolean {
    return this.#throw(slot) < 0.35 * Math.min(1.5, this.#spend(campaign, slot));
  }

  /** A weekly e-mail to past buyers; it may create a need. */
  #getMail(): void {
    const since = this.#day - this.#boughtOn;
    if (this.#boughtOn < 0 || since <= 0 || since % 7 !== 0 || this.#throw(64) >= 0.05) return;
    if (!this.#needs() && this.#throw(65) < 0.05) {
      this.#needsUntil = this.#day + 5;
      this.#eagerness = 0.7;
    }
    this.#visit(email, 64, 64);
  }

  #visit(source: number, slot: number, adSlot: number, canBuy = true): void {
    const at = this.#day + 0.1 + 0.8 * this.#throw(100 + slot);
    this.#arrive(source, adSlot, at);
    this.#lastVisit = this.#day;
    if (!canBuy) return;
    const wants = this.#needs() ? 0.13 * this.#eagerness : 0.002;
    const luck = this.#throw(200 + slot);
    if (luck >= wants * 1.03) return;
    // At checkout some search for a coupon, and a few of those would leave without one.
    let buys = luck < wants;
    if (this.#throw(300 + slot) < this.#market.nature.couponSeekers) {
      if (this.#throw(320 + slot) < 0.85 * this.#spend(coupon, 320 + slot)) {
        this.#arrive(coupon, 320 + slot, at + 0.004);
        buys = true;
      }
    }
    if (buys) this.#buy(at + 0.01, slot);
  }

  #arrive(source: number, adSlot: number, at: number): void {
    this.#witness.touch?.(this.#person, source, source < campaignCount ? this.#adOf(adSlot) : 0, at);
    if (source >= campaignCount) return;
    const cell = this.#campaigns + source;
    this.lived.clicks[cell] = (this.lived.clicks[cell] ?? 0) + 1;
  }

  #buy(at: number, slot: number): void {
    const value =
      Math.round(Math.exp(4 + 0.5 * thrownNormal(this.#seed, this.#person, this.#day, 400 + slot)) * 100) / 100;
    this.#witness.buy?.(this.#person, at, value);
    const { lived } = this;
    lived.valueOfDay[this.#cell] = (lived.valueOfDay[this.#cell] ?? 0) + value;
    lived.ordersOfDay[this.#cell] = (lived.ordersOfDay[this.#cell] ?? 0) + 1;
    if (this.#day >= this.#market.countFrom) {
      lived.value += value;
      lived.orders += 1;
      lived.paidBy[this.#person] = (lived.paidBy[this.#person] ?? 0) + value;
    }
    this.#boughtOn = this.#day;
    if (this.#throw(500) >= 0.8) return;
    this.#needsUntil = this.#day - 1;
    this.#comesBackOn = -1;
  }
}
