import { createHash } from 'node:crypto';
import { attribute, fromMinorUnits } from '@tributary/rules';
import { attributionModelNames } from '@tributary/vocabulary';
import { describe, expect, test } from 'vitest';
import { Book, conversionsOf, touchesOf } from './book.ts';
import { household, households } from './household.ts';
import { isLate } from './lateness.ts';
import { type Market, type MarketOptions, openMarket } from './market.ts';
import { ReportBook } from './reports.ts';

const make = (more: Partial<MarketOptions> = {}) => openMarket({ seed: 42, people: 2_000, ...more });

/** Entities are hashed by id, not with the whole tree they refer to. */
const bytes = (market: Market) => {
  const hash = createHash('sha256');
  const text = (value: unknown) =>
    JSON.stringify(value, (name, said) =>
      typeof said === 'bigint' ? `${said}n` : ['adSet', 'campaign', 'ads', 'adSets'].includes(name) ? said?.id : said,
    );
  for (const one of households(market)) hash.update(text(one));
  return hash.digest('hex');
};

describe('one seed', () => {
  test('gives the same market, to the byte; another seed gives another market', () => {
    expect(bytes(make())).toBe(bytes(make()));
    expect(bytes(make({ seed: 43 }))).not.toBe(bytes(make()));
    expect(bytes(make({ seed: 42 + 2 ** 32 }))).not.toBe(bytes(make()));
  });

  test('gives the same household alone and in sequence', () => {
    const market = make({ people: 200 });
    const row = [...households(market)];
    for (const index of [0, 1, 9, 15, 16, 57, 100]) expect(household(market, index)).toEqual(row[index]);
    expect(() => household(market, 1_000)).toThrow(RangeError);
  });

  test('has the requested number of people, and a walk-in', () => {
    for (const people of [1, 100, 119]) {
      const all = [...households(make({ people }))].flatMap((one) => one.people.map(({ index }) => index));
      expect(all).toEqual(Array.from({ length: people + 1 }, (_, index) => index));
    }
  });

  test('has unique ids', () => {
    const all = [...households(make())];
    const ids = [
      ...all.flatMap(({ browsers }) => browsers.flatMap(({ visitorId, clientId }) => [visitorId, clientId])),
      ...all.flatMap(({ browsers }) => browsers.flatMap(({ touches }) => touches.map(({ id }) => id))),
      ...all.flatMap(({ people }) => people.flatMap(({ customer }) => customer?.id ?? [])),
      ...all.flatMap(({ people }) =>
        people.flatMap(({ outcomes }) => outcomes.flatMap((one) => [one.id, one.idempotencyKey])),
      ),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the book', () => {
  const market = make({ people: 4_000, timeZone: 'America/Santiago' });
  const book = new Book(market);
  const reports = new ReportBook(market);
  const all = [...households(market)];
  for (const one of all) {
    book.add(one);
    reports.add(one);
  }
  const conversions = all.flatMap((one) => conversionsOf(market, one));

  test('balances: payments equal net amounts plus refunds', () => {
    for (const { money } of conversions) {
      const refunded = money?.refunds.reduce((sum, { amount }) => sum + amount, 0n) ?? 0n;
      expect(money?.paid ?? 0n).toBe((money?.net ?? 0n) + refunded);
      expect(money?.net ?? 0n).toBeGreaterThanOrEqual(0n);
    }
    expect(book.totals.conversions).toBe(conversions.length);
    expect(book.totals.value).toBe(conversions.reduce((sum, { value }) => sum + value, 0n));
  });

  test('divides every conversion to the last unit, under every model and at every level', () => {
    const sums = new Map<string, bigint>();
    for (const { model, level, revenue } of reports.cells()) {
      sums.set(`${model} ${level}`, (sums.get(`${model} ${level}`) ?? 0n) + revenue);
    }
    expect(sums.size).toBe(attributionModelNames.length * 3);
    for (const sum of sums.values()) expect(sum).toBe(book.totals.value);
  });

  test('counts a conversion once if one touch has all credit', () => {
    const counted = reports.cells().filter(({ model, level }) => model === 'last_touch' && level === 'ad');
    expect(counted.reduce((sum, { outcomes }) => sum + outcomes, 0)).toBe(conversions.length);
  });

  test('knows the campaign of an ad whose link does not name it', () => {
    const silent = market.ads.find(({ tagging }) => tagging === 'ad_only');
    const of = (level: string, id?: string) =>
      reports.cells().some((cell) => cell.model === 'linear' && cell.level === level && cell.entityId === id);
    expect(of('ad', silent?.id)).toBe(true);
    expect(of('ad_set', silent?.adSet.id)).toBe(true);
  });

  test('uses days of the profile’s time zone', () => {
    const evening = conversions.find(({ at }) => new Date(at).getUTCHours() < 3);
    expect(evening && evening.day < new Date(evening.at).toISOString().slice(0, 10)).toBe(true);
  });

  test('converts once at the day’s rate, and leaves out amounts without one', () => {
    const foreign = conversions.find(({ money }) => money?.currency === 'CLP' && money.reporting);
    const { money, value } = foreign ?? {};
    const exact = Number(money?.net) * Number(money?.reporting?.rate) * 100;
    expect(Math.abs(Number(value) - exact)).toBeLessThanOrEqual(0.5000001);
    expect(fromMinorUnits(money?.net ?? 0n, 'CLP')).not.toContain('.');
    expect(book.totals.withoutRate).toBeGreaterThan(0);
    expect(conversions.filter(({ hasValue }) => !hasValue).every(({ value: none }) => none === 0n)).toBe(true);
  });

  test('contains everything that makes attribution hard', () => {
    const busy = make({ people: 60, touchesPerPerson: 150 });
    const browsers = all.flatMap((one) => one.browsers);
    const touches = browsers.flatMap((one) => one.touches);
    const people = all.flatMap((one) => one.people);
    const share = (some: number, of: number) => some / of;
    expect(share(touches.filter(isLate).length, touches.length)).toBeCloseTo(0.02, 2);
    expect(share(touches.filter(({ copies }) => copies > 1).length, touches.length)).toBeCloseTo(0.01, 2);
    expect(share(touches.length, people.length)).toBeGreaterThan(8);
    expect(share(touches.length, people.length)).toBeLessThan(12);
    expect(share(people.filter(({ customer }) => customer).length, people.length)).toBeCloseTo(0.3, 1);
    expect(share(touches.filter(({ arrival }) => arrival.channel === 'direct').length, touches.length)).toBeGreaterThan(
      0.1,
    );
    expect(share(conversions.length, people.length)).toBeGreaterThan(0.4);
    expect(conversions.some(({ outcome }) => outcome.customerId === null && outcome.visitorId !== null)).toBe(true);
    expect(conversions.some(({ outcome }) => outcome.customerId === null && outcome.visitorId === null)).toBe(true);
    expect(browsers.some(({ touches: of }) => new Set(of.map(({ by }) => by)).size > 1)).toBe(true);
    expect(people.some(({ customer }) => customer?.phone && !customer.isPhoneHolder)).toBe(true);
    expect(people.at(-1)?.outcomes.length).toBe(market.walkInPurchases);
    const paths = [...all, ...households(busy)].flatMap((one) =>
      conversionsOf(market, one).map((conversion) => attribute(conversion, touchesOf(one, conversion))),
    );
    expect(paths.some(({ touchCount, touches: path }) => touchCount > path.length)).toBe(true);
    expect(paths.some(({ touchCount }) => touchCount === 0)).toBe(true);
  });
});

describe('the true effect', () => {
  const market = make({ people: 30_000, campaigns: 4, touchesPerPerson: 6 });
  const book = new Book(market);
  for (const one of households(market)) book.add(one);

  test('each ad makes as many people buy as its effect predicts', () => {
    for (const { ad, clicked, onlyViewed, buyers } of book.effects) {
      const { clickEffect, viewEffect } = ad.truth;
      // Some would have bought anyway or were influenced by two ads, and some effects come after the end.
      const most = clicked * clickEffect + onlyViewed * viewEffect;
      expect(buyers).toBeLessThanOrEqual(most + 4 * Math.sqrt(most) + 3);
      expect(buyers).toBeGreaterThanOrEqual(0.55 * most - 4 * Math.sqrt(most));
      if (clickEffect === 0) expect(buyers).toBe(0);
    }
  });

  test('differs from what the platforms claim, because both claim conversions that neither caused', () => {
    const rows = [...book.delivery.rows()].filter(({ level }) => level === 'campaign');
    const claimed = rows.reduce((sum, row) => sum + row.claimedConversions, 0);
    const caused = book.effects.reduce((sum, { buyers }) => sum + buyers, 0);
    expect(claimed).toBeGreaterThan(caused);
  });

  test('delivery adds up from ads to campaigns, except reach, which counts people once', () => {
    const rows = [...book.delivery.rows()];
    const of = (level: string) => rows.filter((row) => row.level === level);
    const sums = (level: string) =>
      ['impressions', 'clicks', 'spend', 'claimedConversions', 'claimedValue'].map((figure) =>
        of(level).reduce((sum, row) => sum + BigInt(row[figure as 'clicks']), 0n),
      );
    expect(sums('ad_set')).toEqual(sums('ad'));
    expect(sums('campaign')).toEqual(sums('ad'));
    const reach = (level: string) => of(level).reduce((sum, row) => sum + row.reach, 0);
    expect(reach('campaign')).toBeLessThan(reach('ad_set'));
    expect(reach('ad_set')).toBeLessThan(reach('ad'));
    for (const row of rows) {
      expect(row.reach).toBeLessThanOrEqual(row.impressions);
      expect(row.clicks).toBeLessThanOrEqual(row.impressions);
    }
    expect(new Set(rows.map(({ currency }) => currency))).toContain('CLP');
    expect(of('ad').reduce((sum, row) => sum + row.clicks, 0)).toBe(
      [...households(market)].reduce(
        (sum, one) =>
          sum + one.people.reduce((all, person) => all + person.exposures.filter(({ isClick }) => isClick).length, 0),
        0,
      ),
    );
  });
});
