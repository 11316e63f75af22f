import { creativeFormatNames } from '@tributary/vocabulary';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cohortsOf, type Traits } from './cohort.ts';
import { creativeFormatOf, isVideo } from './creative-format.ts';
import { objectiveOf } from './objective.ts';
import { type EarnedOutcomes, maturityStage, primaryOutcomeKind, truthGrade } from './outcomes.ts';
import { percentiles } from './percentile.ts';
import { type AdFigures, scoreAds } from './score.ts';
import { layers, matureFrom, smallestCohort } from './weights.ts';

const traits: Traits = {
  channel: 'social_ads',
  format: 'video',
  objective: 'sales',
  warmth: null,
  geo: null,
  placement: null,
};
const nothing: EarnedOutcomes = {
  total: 0,
  cash: 0,
  pipeline: 0,
  messaging: 0,
  platformConversions: null,
  platformConversations: null,
  isLiftTested: false,
};

const ad = (more: Partial<AdFigures> = {}, earned: Partial<EarnedOutcomes> = {}): AdFigures => ({
  traits,
  spend: 100,
  impressions: 10_000,
  clicks: 100,
  videoViews: null,
  revenue: 0,
  pipelineValue: 0,
  outcomesOfBestDay: 0,
  ...more,
  earned: { ...nothing, ...earned },
});

const count = (max: number) => fc.nat(max);
const figures: fc.Arbitrary<AdFigures> = fc
  .record({
    channel: fc.constantFrom('social_ads', 'search_ads'),
    format: fc.constantFrom('video', 'static'),
    objective: fc.constantFrom('sales', 'leads', 'messaging', 'traffic', null),
    spend: fc.double({ min: 0, max: 1e6, noNaN: true }),
    impressions: count(1e6),
    clicks: count(1e4),
    videoViews: fc.option(count(1e5)),
    cash: count(80),
    pipeline: count(80),
    messaging: count(20),
    claimed: fc.option(count(90)),
    revenue: fc.double({ min: 0, max: 1e7, noNaN: true }),
  })
  .map(({ channel, format, objective, cash, pipeline, messaging, claimed, ...rest }) => {
    const total = cash + pipeline + messaging;
    return ad(
      { ...rest, traits: { ...traits, channel, format, objective }, outcomesOfBestDay: Math.ceil(total / 3) },
      { cash, pipeline, messaging, total, platformConversions: claimed },
    );
  });
const markets = fc.array(figures, { minLength: 1, maxLength: 90 });
/** With one cohort large enough for scores: among random ads alone, hardly one in a hundred markets has one. */
const crowded = fc
  .array(figures, { minLength: 40, maxLength: 90 })
  .map((ads) => ads.map((one, place) => (place % 3 ? { ...one, traits } : one)));

describe('a percentile', () => {
  test('is the share of lower values plus half of the equal ones', () => {
    expect(percentiles([3, 1, 2, 2, null])).toEqual([87.5, 12.5, 50, 50, null]);
    expect(percentiles([7])).toEqual([50]);
    expect(percentiles([null, null])).toEqual([null, null]);
  });

  test('is 50 on average and keeps the order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1 }), (values) => {
        const places = percentiles(values) as number[];
        expect(places.reduce((sum, place) => sum + place, 0) / places.length).toBeCloseTo(50, 6);
        for (const [one, value] of values.entries())
          for (const [other, than] of values.entries())
            expect(Math.sign((places[one] as number) - (places[other] as number))).toBe(Math.sign(value - than));
      }),
    );
  });
});

describe('a cohort', () => {
  const many = (n: number, more: Partial<Traits>) =>
    Array.from({ length: n }, () => ({ traits: { ...traits, ...more } }));

  test('[top-023] has the same channel, format, objective, audience warmth, country and placement if enough ads do', () => {
    const alike = { warmth: 'cold', geo: 'CL', placement: 'feed' };
    const ads = [
      ...many(20, alike),
      ...many(30, { ...alike, placement: 'stories' }),
      ...many(40, { channel: 'search_ads' }),
    ];
    const cohorts = cohortsOf(ads);
    expect(cohorts.get(ads[0] as (typeof ads)[0])).toMatchObject({
      key: 'social_ads|video|sales|cold|CL|feed',
      isEnough: true,
    });
    expect(cohorts.get(ads[0] as (typeof ads)[0])?.ads).toHaveLength(20);
    expect(cohorts.get(ads[60] as (typeof ads)[0])).toMatchObject({ key: 'search_ads|video|sales|-|-|-' });
  });

  test('drops dimensions in a fixed order until it has 20 ads, and never drops the channel', () => {
    const cases: [Partial<Traits>, string][] = [
      [{ placement: 'feed' }, 'social_ads|video|sales|cold|CL|*'],
      [{ geo: 'PE' }, 'social_ads|video|sales|cold|*|*'],
      [{ warmth: 'hot' }, 'social_ads|video|sales|*|*|*'],
      [{ format: 'static' }, 'social_ads|*|sales|*|*|*'],
      [{ objective: 'leads' }, 'social_ads|*|*|*|*|*'],
    ];
    for (const [differs, key] of cases) {
      const ads = [...many(19, { warmth: 'cold', geo: 'CL' }), ...many(1, { warmth: 'cold', geo: 'CL', ...differs })];
      const cohort = cohortsOf(ads).get(ads.at(-1) as (typeof ads)[0]);
      expect(cohort?.key).toBe(key);
      expect(cohort?.ads).toHaveLength(20);
    }
    const alone = [...many(19, {}), ...many(19, { channel: 'search_ads' })];
    for (const cohort of cohortsOf(alone).values()) expect(cohort.isEnough).toBe(false);
  });

  test('contains all ads with the same traits, also those with a narrower cohort of their own', () => {
    const ads = [...many(25, { placement: 'feed' }), ...many(3, { placement: 'stories' })];
    const cohorts = cohortsOf(ads);
    expect(cohorts.get(ads[0] as (typeof ads)[0])?.ads).toHaveLength(25);
    expect(cohorts.get(ads.at(-1) as (typeof ads)[0])?.ads).toHaveLength(28);
  });
});

describe('a score', () => {
  test('[top-010] [top-012] [top-015] [top-024] is from 0 to 100, and the likelihood increases with it from 0 to 1', () => {
    fc.assert(
      fc.property(crowded, (ads) => {
        const scores = [...scoreAds(ads).values()].filter(({ composite }) => composite !== null);
        expect(scores.length).toBeGreaterThanOrEqual(smallestCohort);
        for (const { composite, likelihood, cohort } of scores) {
          expect(composite).toBeGreaterThanOrEqual(0);
          expect(composite).toBeLessThanOrEqual(100);
          expect(likelihood).toBeGreaterThan(0);
          expect(likelihood).toBeLessThan(1);
          expect(cohort.ads.length).toBeGreaterThanOrEqual(smallestCohort);
        }
        const ranked = scores.toSorted((a, b) => (a.composite as number) - (b.composite as number));
        for (const [index, { composite, likelihood }] of ranked.entries()) {
          const next = ranked[index + 1];
          if (!next) continue;
          if (next.composite === composite) expect(next.likelihood).toBe(likelihood);
          else expect(next.likelihood).toBeGreaterThanOrEqual(likelihood);
        }
      }),
    );
  });

  test('[top-011] is null in a cohort of fewer than 20', () => {
    for (const { composite, likelihood, reasons } of scoreAds(Array.from({ length: 19 }, () => ad())).values()) {
      expect({ composite, reasons }).toEqual({ composite: null, reasons: [] });
      expect(likelihood).toBeGreaterThan(0);
    }
    for (const { composite } of scoreAds(Array.from({ length: 20 }, () => ad())).values()) expect(composite).toBe(50);
  });

  test('does not depend on the order of ads or on the currency', () => {
    fc.assert(
      fc.property(markets, fc.constantFrom(2, 8, 1_024), (ads, rate) => {
        const of = (some: readonly AdFigures[]) => {
          const scores = scoreAds(some);
          return some.map((one) => scores.get(one)?.composite);
        };
        expect(of(ads.toReversed()).toReversed()).toEqual(of(ads));
        expect(of(ads.map((one) => ({ ...one, spend: one.spend * rate, revenue: one.revenue * rate })))).toEqual(
          of(ads),
        );
      }),
    );
  });

  test('increases with revenue and outcomes, and decreases with spend', () => {
    const others = Array.from({ length: 24 }, (_, n) =>
      ad({ spend: 50 + n * 5, revenue: 40 * n, outcomesOfBestDay: 1 }, { cash: n, total: n }),
    );
    const scoreOf = (more: Partial<AdFigures>, earned: Partial<EarnedOutcomes> = {}) => {
      const own = ad({ spend: 110, revenue: 480, outcomesOfBestDay: 1, ...more }, { cash: 12, total: 12, ...earned });
      return scoreAds([...others, own]).get(own)?.composite as number;
    };
    const baseline = scoreOf({});
    expect(scoreOf({ revenue: 900 })).toBeGreaterThan(baseline);
    expect(scoreOf({ spend: 500 })).toBeLessThan(baseline);
    expect(scoreOf({}, { cash: 20, total: 20 })).toBeGreaterThan(baseline);
    expect(scoreOf({ clicks: 500 })).toBeGreaterThan(baseline);
    expect(scoreOf({ outcomesOfBestDay: 12 })).toBeLessThan(baseline);
  });

  test('is closer to 50 with less evidence', () => {
    const others = Array.from({ length: 30 }, () => ad({ revenue: 100 }, { cash: 1, total: 1 }));
    const best = (times: number) => {
      const own = ad(
        { spend: 10 * times, clicks: 10 * times, impressions: 100 * times, revenue: 1_000 * times },
        { cash: times, total: times },
      );
      return scoreAds([...others, own]).get(own)?.composite as number;
    };
    expect(best(2)).toBeGreaterThan(50);
    expect(best(20)).toBeGreaterThan(best(2));
    expect(best(200)).toBeGreaterThan(best(20));
    // Neither ad has a purchase; there is more evidence for the one with more clicks.
    const worst = (clicks: number) => {
      const own = ad({ clicks, impressions: clicks * 100 });
      return scoreAds([...others, own]).get(own)?.composite as number;
    };
    expect(worst(2_000)).toBeLessThan(worst(50));
    expect(worst(50)).toBeLessThan(50);
  });

  test('[top-032] has reasons: layers that stand out, highest weight first, with their confidence', () => {
    const others = Array.from({ length: 40 }, (_, n) =>
      ad({ spend: 100, clicks: 50 + n, revenue: 10 * n, outcomesOfBestDay: 1 }, { cash: 1 + n, total: 1 + n }),
    );
    const best = ad({ spend: 10, clicks: 5, revenue: 9_000, outcomesOfBestDay: 1 }, { cash: 90, total: 90 });
    const { reasons = [] } = scoreAds([...others, best]).get(best) ?? {};
    expect(reasons.map(({ layer, polarity }) => [layer, polarity])).toEqual([
      ['efficiency', 'strength'],
      ['return', 'strength'],
      ['engagement', 'weakness'],
      ['volume', 'strength'],
      ['stability', 'strength'],
    ]);
    expect(reasons.every(({ sample_confidence }) => sample_confidence === 'high')).toBe(true);
    for (const { percentile, polarity } of reasons)
      expect(polarity === 'strength' ? percentile >= 75 : percentile <= 25).toBe(true);
    const unknown = ad({ spend: 1, clicks: 1, impressions: 10, revenue: 90 });
    const { reasons: ofUnknown = [] } = scoreAds([...others, unknown]).get(unknown) ?? {};
    expect(ofUnknown.length).toBeGreaterThan(0);
    expect(ofUnknown.every(({ sample_confidence }) => sample_confidence === 'low')).toBe(true);
  });

  test('counts the outcome that the objective aims at', () => {
    const market = (objective: string | null) => {
      const [payer, leader] = [
        ad({ traits: { ...traits, objective }, outcomesOfBestDay: 1 }, { cash: 30, total: 30 }),
        ad({ traits: { ...traits, objective }, outcomesOfBestDay: 1 }, { pipeline: 60, total: 60 }),
      ];
      const rest = Array.from({ length: 20 }, () =>
        ad({ traits: { ...traits, objective } }, { cash: 1, pipeline: 1, total: 2 }),
      );
      const scores = scoreAds([payer, leader, ...rest]);
      return (scores.get(payer)?.composite as number) - (scores.get(leader)?.composite as number);
    };
    expect(market('sales')).toBeGreaterThan(0);
    expect(market('leads')).toBeLessThan(0);
    expect(market(null)).toBeLessThan(0);
  });

  test("counts credited outcomes, and the platform's own only if no ad has any", () => {
    const market = (earned: number) => {
      const [modest, boastful] = [
        ad({ outcomesOfBestDay: 1 }, { total: 2 * earned, platformConversions: 1 }),
        ad({ outcomesOfBestDay: 1 }, { total: earned, platformConversions: 90 }),
      ];
      const rest = Array.from({ length: 20 }, () => ad({}, { platformConversions: 0 }));
      const scores = scoreAds([modest, boastful, ...rest]);
      return (scores.get(modest)?.composite as number) - (scores.get(boastful)?.composite as number);
    };
    expect(market(20)).toBeGreaterThan(0);
    expect(market(0)).toBeLessThan(0);
  });
});

describe('the return of an ad', () => {
  /** Two ads that differ in the value of their outcomes, in a cohort in which all others have none. */
  const lead = (worth: Partial<AdFigures>, other: Partial<AdFigures>) => {
    const outcomes = { pipeline: 10, total: 10 };
    const [first, second] = [ad(worth, outcomes), ad(other, outcomes)];
    const scores = scoreAds([first, second, ...Array.from({ length: 20 }, () => ad({}, outcomes))]);
    return (scores.get(first)?.composite as number) - (scores.get(second)?.composite as number);
  };

  test('is its pipeline value if no ad of the cohort has revenue', () => {
    expect(lead({ pipelineValue: 900 }, { pipelineValue: 100 })).toBeGreaterThan(0);
  });

  test('is its revenue if any ad of the cohort has revenue', () => {
    expect(lead({ revenue: 1, pipelineValue: 100 }, { pipelineValue: 900 })).toBeGreaterThan(0);
  });
});

describe('the outcomes of an ad', () => {
  test('[top-020] [top-021] [top-022] decide which outcome is shown first', () => {
    const kind = (earned: Partial<EarnedOutcomes>) => primaryOutcomeKind({ ...nothing, ...earned });
    expect(kind({ cash: 1, pipeline: 9, messaging: 9, total: 19, platformConversions: 9 })).toBe('cash');
    expect(kind({ pipeline: 1, messaging: 9, total: 10 })).toBe('pipeline');
    expect(kind({ total: 3 })).toBe('pipeline');
    expect(kind({ messaging: 1, total: 1, platformConversions: 5 })).toBe('messaging');
    expect(kind({ platformConversations: 2, platformConversions: 5 })).toBe('messaging');
    expect(kind({ platformConversions: 5 })).toBe('meta');
    expect(kind({ platformConversions: 0, platformConversations: 0 })).toBe('none');
    expect(kind({})).toBe('none');
  });

  const grade = (earned: Partial<EarnedOutcomes>) => truthGrade({ ...nothing, ...earned });

  test('[top-017] [top-018] are graded predicted until an outcome of any kind is credited', () => {
    expect(grade({})).toBe('predicted');
    for (const kind of ['cash', 'pipeline', 'messaging']) expect(grade({ [kind]: 1, total: 1 })).toBe('attributed');
  });

  test("[top-030] are not graded by the platform's own count", () => {
    expect(grade({ platformConversions: 900, platformConversations: 50 })).toBe('predicted');
  });

  test('are graded lift, the third and last grade, after an experiment', () => {
    expect(grade({ isLiftTested: true })).toBe('lift');
    expect(new Set([grade({}), grade({ total: 1 }), grade({ isLiftTested: true })]).size).toBe(3);
  });

  test('decide the maturity stage', () => {
    const stage = (earned: Partial<EarnedOutcomes>) => maturityStage({ ...nothing, ...earned });
    expect(stage({ platformConversions: 500 })).toBe('cold');
    expect(stage({ total: 1 })).toBe('early');
    expect(stage({ total: matureFrom - 1 })).toBe('early');
    expect(stage({ total: matureFrom })).toBe('mature');
    expect(stage({ total: 3, isLiftTested: true })).toBe('calibrated');
  });
});

test('platforms’ objectives map to five, and unknown ones to null', () => {
  expect(
    ['OUTCOME_SALES', 'conversions', 'Messages', 'LEAD_GENERATION', 'link clicks', 'REACH', '', 'FUN'].map(objectiveOf),
  ).toEqual(['sales', 'sales', 'messaging', 'leads', 'traffic', 'awareness', null, null]);
});

test('platforms’ formats map to ours', () => {
  for (const format of creativeFormatNames) expect(creativeFormatOf(format)).toBe(format);
  expect(['IMAGE', 'Single Video', 'carousel', 'text', ''].map(creativeFormatOf)).toEqual([
    'static',
    'video',
    'carousel',
    'other',
    'other',
  ]);
  expect(creativeFormatNames.filter(isVideo)).toEqual(['ugc_video', 'talking_head', 'video']);
});

test('the weights add up to 100', () => {
  expect(Object.values(layers).reduce((sum, { weight }) => sum + weight, 0)).toBe(100);
});
