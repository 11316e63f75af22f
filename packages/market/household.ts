import { dayMs, minuteMs } from '@tributary/vocabulary';
import type { Ad } from './ads.ts';
import type { Arrival } from './arrivals.ts';
import { arrivalTime } from './lateness.ts';
import type { Market } from './market.ts';
import { buy } from './outcomes.ts';
import type { Browser, Customer, Exposure, Household, Person } from './person.ts';
import { SeededRandom } from './seeded-random.ts';
import { dayIn } from './week.ts';

type Open<T> = { -readonly [Name in keyof T]: T[Name] extends readonly (infer One)[] ? One[] : T[Name] };

/**
 * Sixteen households have twenty people. The order is fixed, so that the household of a person is known without
 * counting.
 */
const sizes = [1, 1, 1, 2, 1, 1, 1, 1, 1, 3, 1, 1, 1, 2, 1, 1] as const;
const peopleOfRound = 20;

export function* households(market: Market): Generator<Household> {
  let person = 0;
  let index = 0;
  for (; person < market.people; index += 1) {
    const size = Math.min(sizes[index % sizes.length] as number, market.people - person);
    yield makeHousehold(market, index, person, size);
    person += size;
  }
  for (let walkIn = 0; walkIn < market.walkIns; walkIn += 1, index += 1) {
    yield makeWalkIn(market, index, market.people + walkIn);
  }
}

/** Generates one household by its index, without those before it. */
export function household(market: Market, index: number): Household {
  const round = Math.floor(index / sizes.length);
  const person = sizes.slice(0, index % sizes.length).reduce<number>((sum, size) => sum + size, round * peopleOfRound);
  if (person >= market.people) throw new RangeError('Nobody lives there.');
  const size = Math.min(sizes[index % sizes.length] as number, market.people - person);
  return makeHousehold(market, index, person, size);
}

const countries = ['CL', 'CL', 'CL', 'CL', 'AR', 'PE', 'US', 'ES'] as const;

function makeHousehold(market: Market, index: number, firstPerson: number, size: number): Household {
  const dice = new SeededRandom(market.seed, 0x40e, index);
  const country = dice.pick(countries);
  const isPhoneShared = size > 1 && dice.chance(0.6);
  const identifiesThemselves = Array.from({ length: size }, () => dice.chance(market.isGentle ? 0.97 : 0.6));
  const tablet =
    size > 1 && dice.chance(0.5)
      ? openDevice(market, dice, { owner: identifiesThemselves[0] ? firstPerson : null, device: 'tablet', country })
      : null;
  const devices: Device[] = tablet ? [tablet] : [];

  const people = identifiesThemselves.map((isNamed, place): Person => {
    const person = firstPerson + place;
    const own = Array.from({ length: deviceCount(dice) }, (_, nth) =>
      openDevice(market, dice, { owner: isNamed ? person : null, device: nth === 0 ? 'mobile' : 'desktop', country }),
    );
    devices.push(...own);
    const exposures = visit(market, dice, person, tablet ? [...own, ...own, tablet] : own);
    const named = isNamed ? makeCustomer(market, dice, person, isPhoneShared ? firstPerson : person) : null;
    const currency = currencyOf(market, dice);
    const browsers = own.flatMap((device) => device.browsers);
    const outcomes = buy(market, dice, { person, customerId: named?.id ?? null, currency, exposures, browsers });
    // The shop learns a person's identity when they do something; a few customers are imported.
    const customer = outcomes.length > 0 || dice.chance(0.1) ? named : null;
    return { index: person, customer, currency, exposures, outcomes };
  });
  const browsers = devices.flatMap((device) => device.browsers);
  const customerIndexes = new Set(people.flatMap((person) => (person.customer ? person.index : [])));
  for (const browser of browsers) if (!customerIndexes.has(browser.linkedTo ?? -1)) browser.linkedTo = null;
  return { index, people: isPhoneShared ? withOneHolder(people) : people, browsers };
}

/** In the ledger a shared phone is bound to one customer: the first of those who share it. */
function withOneHolder(people: readonly Person[]): Person[] {
  const holder = people.findIndex(({ customer }) => customer);
  return people.map((person, place) =>
    person.customer && place !== holder
      ? { ...person, customer: { ...person.customer, isPhoneHolder: false } }
      : person,
  );
}

/** The shop's "walk-in" customer. It has no touches and buys all the time. */
function makeWalkIn(market: Market, index: number, person: number): Household {
  const dice = new SeededRandom(market.seed, 0x40e, index);
  const customer = makeCustomer(market, dice, person, null);
  const outcomes = buy(market, dice, {
    person,
    customerId: customer.id,
    currency: market.currencies[0] ?? 'USD',
    exposures: [],
    browsers: [],
    purchases: market.walkInPurchases,
  });
  const walkIn = { index: person, customer, currency: market.currencies[0] ?? 'USD', exposures: [], outcomes };
  return { index, people: [walkIn], browsers: [] };
}

const deviceCount = (dice: SeededRandom): number => (dice.chance(0.55) ? 1 : dice.chance(0.75) ? 2 : 3);

/** Most people use the first currency; the rest are spread evenly. */
function currencyOf({ currencies }: Market, dice: SeededRandom): string {
  return (dice.chance(0.6) ? currencies[0] : dice.pick(currencies)) ?? 'USD';
}

interface Device {
  /** In order of time; clearing cookies starts the next browser. */
  readonly browsers: Open<Browser>[];
  readonly clearedAt: number;
}

function openDevice(
  market: Market,
  dice: SeededRandom,
  of: { readonly owner: number | null; readonly device: Browser['device']; readonly country: string },
): Device {
  const isCleared = dice.chance(0.25);
  const clearedAt = isCleared ? market.from + dice.below(market.until - market.from) : market.until;
  // After clearing cookies a person may or may not sign in again.
  const browser = (since: number, linkChance: number): Open<Browser> => {
    const isLinked = of.owner !== null && dice.chance(linkChance);
    return {
      visitorId: dice.uuid8(),
      clientId: dice.uuid7(since),
      device: of.device,
      country: of.country,
      linkedTo: isLinked ? of.owner : null,
      linkedAt: since,
      touches: [],
    };
  };
  return { browsers: [browser(market.from, 0.9), ...(isCleared ? [browser(clearedAt, 0.6)] : [])], clearedAt };
}

/** Adds a person's visits over the whole period to their browsers, and returns their ad exposures. */
function visit(market: Market, dice: SeededRandom, person: number, devices: readonly Device[]): Exposure[] {
  const exposures: Exposure[] = [];
  for (const at of visitTimes(market, dice)) {
    const device = dice.pick(devices);
    const { touches } = device.browsers[at < device.clearedAt ? 0 : 1] as Open<Browser>;
    const sessionId = dice.uuid7(at);
    const arrive = (when: number, arrival: Arrival, isSessionStart: boolean) => {
      touches.push({
        id: dice.uuid7(when),
        at: when,
        arrivesAt: arrivalTime(dice, when),
        sessionId,
        isSessionStart,
        arrival,
        by: person,
        copies: dice.chance(0.01) ? 2 : 1,
      });
      if (arrival.ad) exposures.push({ ad: arrival.ad, at: when, isClick: true });
    };
    const arrival = arrivalAt(market, dice, at);
    arrive(at, arrival, true);
    const further = dice.unit();
    // The landing page is opened again, which is not a second touch; or another ad is clicked within the session,
    // which is.
    if (further < 0.03 && arrival.isNamed) arrive(at + dice.between(1, 20 * minuteMs), arrival, false);
    else if (further > 0.96) {
      const ad = adAt(market, dice, at);
      if (ad) arrive(at + dice.between(1, 25 * minuteMs), dice.pick(market.adArrivals[ad.number] as Arrival[]), false);
    }
  }
  for (let views = dice.below(7); views > 0; views -= 1) {
    const at = momentOf(market, dice);
    const ad = adAt(market, dice, at);
    if (ad) exposures.push({ ad, at, isClick: false });
  }
  return exposures;
}

/** Most people visit a few times and some very often; one in a thousand has more touches than a path can have. */
function visitTimes(market: Market, dice: SeededRandom): number[] {
  const skew = dice.unit();
  const usualCount = 1 + Math.floor(skew * skew * 3 * (market.touchesPerPerson - 1));
  const count = dice.chance(0.001) ? usualCount + 500 : usualCount;
  return Array.from({ length: count }, () => momentOf(market, dice)).sort((a, b) => a - b);
}

/** More often by day than at night. */
function momentOf(market: Market, dice: SeededRandom): number {
  return market.from + dayIn(market, dice) * dayMs + Math.floor(((dice.unit() + dice.unit()) / 2) * dayMs);
}

function arrivalAt(market: Market, dice: SeededRandom, at: number): Arrival {
  const ad = dice.chance(0.45) ? adAt(market, dice, at) : undefined;
  return ad ? dice.pick(market.adArrivals[ad.number] as Arrival[]) : dice.pick(market.unpaidArrivals);
}

function adAt({ from, adsByDay }: Market, dice: SeededRandom, at: number): Ad | undefined {
  const running = adsByDay[Math.floor((at - from) / dayMs)];
  return running && running.length > 0 ? dice.pick(running) : undefined;
}

const firstNames = ['Ana', 'Luis', 'Eva', 'Tomás', 'Sofía', 'Diego', 'Inés', 'Mateo', 'Laura', 'Bruno', 'Nora', 'Iván'];
const lastNames = ['Soto', 'Rojas', 'Muñoz', 'Vidal', 'Pardo', 'Lagos', 'Fuentes', 'Ibáñez', 'Castro', 'Peña', 'Reyes'];

/** Customers of a demo shop have more varied names. */
const moreFirstNames = [
  ...firstNames,
  ...'Camila Martín Valentina Joaquín Isidora Benjamín Antonia Vicente Florencia Agustín Emilia Lucas Catalina Gabriel'.split(
    ' ',
  ),
  ...'Josefa Simón Amanda Felipe Renata Nicolás Daniela Andrés Paula Hugo Carmen Javier Elena Pablo Lucía Óscar'.split(
    ' ',
  ),
];
const moreLastNames = [
  ...lastNames,
  ...'González Díaz Pérez Contreras Silva Martínez Sepúlveda Morales Rodríguez López Araya Flores Espinoza'.split(' '),
  ...'Valenzuela Torres Carrasco Vergara Tapia Cortés Bravo Figueroa Molina Vega Campos Herrera Núñez'.split(' '),
];

function makeCustomer(market: Market, dice: SeededRandom, person: number, phoneOf: number | null): Customer {
  const id = dice.uuid7(market.from);
  const firstName = dice.pick(market.isGentle ? moreFirstNames : firstNames);
  const lastName = dice.pick(market.isGentle ? moreLastNames : lastNames);
  return {
    id,
    externalId: `c-${person}`,
    email: market.isGentle ? mailbox(firstName, lastName, person) : `person${person}@example.test`,
    phone: phoneOf === null ? null : phoneNumber(phoneOf),
    isPhoneHolder: phoneOf !== null,
    firstName,
    lastName,
    since: market.from,
  };
}

/** A typical mailbox name: "tomas.munoz7@example.test". */
const mailbox = (firstName: string, lastName: string, person: number): string =>
  `${[firstName, lastName]
    .map((name) =>
      name
        .normalize('NFD')
        .replace(/[^a-z]/gi, '')
        .toLowerCase(),
    )
    .join('.')}${person}@example.test`;

/** A Chilean mobile number for the first hundred million people; a longer number of the same form beyond that. */
const phoneNumber = (person: number): string => `+569${String(person).padStart(8, '0')}`;
