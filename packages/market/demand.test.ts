import { describe, expect, test } from 'vitest';
import { causedBy, demandCampaigns, live, observe, openDemandMarket, randomNature, truthOf } from './index.ts';

const market = openDemandMarket({ seed: 11, people: 3_000, days: 80, countFrom: 10, places: 8 });
const { lived, observed } = observe(market);
const numberOf = (name: string) => demandCampaigns.findIndex((campaign) => campaign.name === name);
const brand = numberOf('brand search');

describe('a market with demand independent of ads', () => {
  test('simulates the same world for the same seed, and another world for another seed', () => {
    expect(live(market)).toEqual(lived);
    expect(live(openDemandMarket({ ...market, seed: 12 })).orders).not.toBe(lived.orders);
    expect(lived.orders).toBeGreaterThan(200);
  });

  test('turning off a campaign only affects people who could have been exposed to it', () => {
    const without = live(market, { isOff: (campaign) => campaign === brand });
    const changed = [...lived.paidBy].flatMap((paid, person) => (paid === without.paidBy[person] ? [] : [person]));
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.every((person) => ((lived.metBy[person] ?? 0) & (1 << brand)) !== 0)).toBe(true);
    // The change of the shop's total revenue equals the true effect.
    expect(lived.value - without.value).toBeCloseTo(
      causedBy(market, lived, (one) => one === brand, [brand]),
      4,
    );
    // An ad that is not shown has no cost.
    expect(
      without.clicks.filter((_, cell) => cell % demandCampaigns.length === brand).some((clicks) => clicks > 0),
    ).toBe(false);
  });

  test('knows the true effect of campaigns, of single ads, of groups, and for a part of the people', () => {
    const truth = truthOf(market, lived);
    const of = (name: string) => truth[numberOf(name)]?.value ?? Number.NaN;
    expect(of('retargeting display')).toBeCloseTo(0, 4);
    expect(of('non-brand A')).toBeGreaterThan(of('brand search'));
    expect(of('prospecting A')).toBeGreaterThan(of('clickbait'));
    const a = numberOf('non-brand A');
    const ads = [0, 1].map((ad) => causedBy(market, lived, (campaign, its) => campaign === a && its === ad, [a]));
    expect(ads.every((value) => value > 0 && value < of('non-brand A'))).toBe(true);
    const push = [numberOf('prospecting A'), numberOf('prospecting B'), numberOf('video')];
    const together = causedBy(market, lived, (campaign) => push.includes(campaign), push);
    expect(together).toBeGreaterThan(Math.max(of('prospecting A'), of('prospecting B'), of('video')));
    const half = live(market, { isOff: (campaign, _ad, person) => campaign === push[0] && person % 2 === 0 });
    expect(half.value).toBeLessThan(lived.value);
    expect(half.paidBy.filter((_, person) => person % 2 === 1)).toEqual(
      lived.paidBy.filter((_, person) => person % 2 === 1),
    );
  });

  test('last touch credits brand search with many times what it caused', () => {
    const orders = observed.flatMap(({ touches, orders: bought }) =>
      bought
        .filter(({ at }) => at >= market.countFrom)
        .map(({ at, value }) => ({ value, last: touches.findLast((touch) => touch.at <= at)?.source })),
    );
    const credited = orders.filter(({ last }) => last === brand).reduce((sum, { value }) => sum + value, 0);
    expect(credited).toBeGreaterThan(3 * causedBy(market, lived, (one) => one === brand, [brand]));
    expect(orders.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(lived.value, 4);
  });

  test('a random nature is within its ranges and reproducible by seed', () => {
    const natures = Array.from({ length: 40 }, (_, seed) => randomNature(seed));
    expect(natures.map((_, seed) => randomNature(seed))).toEqual(natures);
    const strengths = natures.map(({ strength }) => strength);
    expect(Math.min(...strengths)).toBeGreaterThanOrEqual(0.5);
    expect(Math.max(...strengths)).toBeLessThanOrEqual(2);
    expect(new Set(strengths).size).toBe(40);
  });
});
