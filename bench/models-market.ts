import {
  campaignCount,
  costOf,
  type DemandMarket,
  demandCampaigns,
  direct,
  type Lived,
  live,
  type Observed,
  observe,
  sourceCount,
  truthOf,
} from '@tributary/market';
import {
  advise,
  calibrate,
  differenceOf,
  drawHeldOut,
  type FittedRule,
  fitterOf,
  intervalWidth,
  lotsFrom,
  type Measured,
  pairUp,
  priorOf,
  readRegions,
  ruleOf,
  weightsOf,
} from '@tributary/rules';
import {
  type AttributionModel,
  attributionModelNames,
  dayMs,
  fittedModelNames,
  limits,
  tactics,
} from '@tributary/vocabulary';

export interface MarketResult {
  readonly seed: number;
  readonly group: 'chosen' | 'unseen' | 'drawn';
  readonly orders: number;
  /** The share of purchases that ads caused. */
  readonly causedShare: number;
  /** By model: the sum of absolute errors over campaigns, divided by the sum of their true effects. */
  readonly errors: Readonly<Record<string, number>>;
  /** How many intervals of calibrated estimates contained the true value, out of how many. */
  readonly held: readonly [number, number];
  /** The number of A/A tests that reported an effect at the 10% level. */
  readonly falseAlarms: number;
  /** The net result of following the advice, and how many changes went in the wrong direction. */
  readonly advice: Readonly<Record<string, { readonly net: number; readonly changes: number; readonly wrong: number }>>;
}

const lookbackDays = 90;
const [testFrom, testUntil, readUntil] = [100, 128, 135];
const testCount = 4;
const step = 0.3;

export function tryMarket(market: DemandMarket, group: MarketResult['group']): MarketResult {
  const { lived, observed } = observe(market);
  const truth = truthOf(market, lived).map(({ value }) => value);
  const credited = creditAll(market, observed);
  const spends = spendOf(market, lived);
  const estimates = new Map([...credited].map(([model, of]) => [model, of.slice(0, campaignCount)]));
  const calibrated = calibrateByTests(market, lived, credited.get('data_driven') ?? [], spends);
  estimates.set(
    'calibrated',
    calibrated.map(({ value }) => value),
  );
  const caused = truth.reduce((sum, value) => sum + value, 0);
  const errorOf = (values: readonly number[]) =>
    truth.reduce((sum, value, campaign) => sum + Math.abs((values[campaign] ?? 0) - value), 0) / caused;
  const held = calibrated.filter(
    ({ value, error }, campaign) => Math.abs(value - (truth[campaign] ?? 0)) <= intervalWidth * error,
  ).length;
  return {
    seed: market.seed,
    group,
    orders: lived.orders,
    causedShare: caused / lived.value,
    errors: Object.fromEntries([...estimates].map(([model, values]) => [model, errorOf(values)])),
    held: [held, campaignCount],
    falseAlarms: falseAlarmsOf(market, lived),
    advice: adviceOf(market, lived, { truth, spends, calibrated, lastTouch: estimates.get('last_touch') ?? [] }),
  };
}

/** The credit of each source under every model, computed as in the product: from paths, conversion by conversion. */
function creditAll(market: DemandMarket, observed: readonly Observed[]): Map<string, number[]> {
  const watch = { types: sourceCount, from: market.countFrom, until: market.days, lookbackDays };
  const fitters = fittedModelNames.map((model) => fitterOf(model, watch));
  const every = Math.max(1, Math.ceil(observed.length / limits.models.people));
  observed.forEach(({ touches, orders }, index) => {
    if (index % every !== 0) return;
    const history = {
      at: touches.map(({ at }) => at),
      type: touches.map(({ source }) => source),
      boughtAt: orders.map(({ at }) => at),
    };
    for (const fitter of fitters) fitter.add(history);
  });
  const rules = fittedModelNames.map((model, index): [string, FittedRule] => [
    model,
    ruleOf(model, fitters[index]?.fit() as never),
  ]);
  const credits = new Map<string, number[]>(
    [...attributionModelNames, ...fittedModelNames].map((model) => [model, new Array<number>(sourceCount).fill(0)]),
  );
  const give = (model: string, path: Observed['touches'], value: number, shares: readonly number[]) => {
    const all = credits.get(model) as number[];
    for (const [index, { source }] of path.entries()) all[source] = (all[source] ?? 0) + value * (shares[index] ?? 0);
  };
  for (const { touches, orders } of observed) {
    for (const { at, value } of orders) {
      if (at < market.countFrom) continue;
      const path = touches.filter((touch) => touch.at <= at && touch.at >= at - lookbackDays);
      if (path.length === 0) continue;
      for (const model of attributionModelNames) {
        give(model, path, value, sharesOf(model, path));
      }
      const fitted = {
        at,
        lookbackDays,
        times: path.map((touch) => touch.at),
        types: path.map(({ source }) => source),
      };
      for (const [model, rule] of rules) {
        give(model, path, value, rule.sharesOf(fitted));
      }
    }
  }
  return credits;
}

function sharesOf(model: AttributionModel, path: Observed['touches']): number[] {
  const weights = weightsOf(
    model,
    path.map(({ at, source }) => ({ at: Math.round(at * dayMs), channel: source === direct ? 'direct' : 'other' })),
  ).map(Number);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / all);
}

function spendOf(market: DemandMarket, lived: Lived, from = market.countFrom, until = market.days): number[] {
  const { places, days } = market;
  return Array.from({ length: campaignCount }, (_, campaign) => {
    let [shown, clicks] = [0, 0];
    for (let place = 0; place < places; place += 1) {
      for (let day = from; day < until; day += 1) {
        const cell = (place * days + day) * campaignCount + campaign;
        shown += lived.shown[cell] ?? 0;
        clicks += lived.clicks[cell] ?? 0;
      }
    }
    return costOf(campaign, shown, clicks);
  });
}

const isHeldOut = (person: number, campaign: number) =>
  (Math.imul(person + 17, 0x9e3779b1 + 2 * campaign) >>> 15) % 2 === 1;

/**
 * Person-level experiments on the campaigns with the least certain monetary effect: a random half of people does not see the campaign for four weeks.
 */
function calibrateByTests(
  market: DemandMarket,
  lived: Lived,
  credits: readonly number[],
  spends: readonly number[],
): Measured[] {
  const worth = lived.value / lived.orders;
  const priors = demandCampaigns.map(({ tactic }, campaign) => ({
    credit: credits[campaign] ?? 0,
    spend: spends[campaign] ?? 0,
    factor: tactics[tactic].factor,
    kind: tactic,
  }));
  const byDoubt = priors
    .map((one, campaign) => ({ campaign, doubt: priorOf(one).error }))
    .sort((a, b) => b.doubt - a.doubt);
  const tests = byDoubt
    .slice(0, testCount)
    .map(({ campaign }) => ({ campaigns: [campaign], found: testOf(market, campaign, spends[campaign] ?? 0, worth) }));
  return calibrate(priors, tests);
}

/** A campaign's effect over all counted days according to an experiment: the measured effect, scaled by total spend over withheld spend. */
function testOf(market: DemandMarket, campaign: number, spend: number, worth: number): Measured {
  const bought = [new Float64Array(market.people), new Float64Array(market.people)];
  const isOff = (one: number, _ad: number, person: number, day: number) =>
    one === campaign && day >= testFrom && day < testUntil && isHeldOut(person, campaign);
  const lived = live(
    market,
    { isOff },
    {
      witness: {
        buy(person, at) {
          const side = bought[Number(isHeldOut(person, campaign))] as Float64Array;
          if (at >= testFrom && at < readUntil) side[person] = (side[person] ?? 0) + 1;
        },
      },
    },
  );
  const sideOf = (side: number) => {
    let [people, sum, squares] = [0, 0, 0];
    for (let person = 0; person < market.people; person += 1) {
      if (Number(isHeldOut(person, campaign)) !== side) continue;
      const orders = bought[side]?.[person] ?? 0;
      people += 1;
      sum += orders;
      squares += orders * orders;
    }
    return { people, sum, squares };
  };
  const [shown, out] = [sideOf(0), sideOf(1)];
  const { value, error } = differenceOf(shown, out);
  const spentOnShown = spendOf(market, lived, testFrom, testUntil)[campaign] || 1;
  const scale = shown.people * worth * (spend / spentOnShown);
  return { value: value * scale, error: error * scale };
}

/** Geo A/A tests, in which nothing was switched off. */
function falseAlarmsOf({ places, days, countFrom, seed }: DemandMarket, { ordersOfDay }: Lived, tests = 40): number {
  const sum = (place: number, from: number, until: number) =>
    ordersOfDay.subarray(place * days + from, place * days + until).reduce((all, orders) => all + orders, 0);
  const sums = Array.from({ length: places }, (_, place) => ({
    region: String(place),
    before: sum(place, countFrom, testFrom),
    during: sum(place, testFrom, readUntil),
  }));
  const pairs = pairUp(sums);
  const lots = lotsFrom(seed);
  const alarms = Array.from({ length: tests }, (_, test) => {
    const { low, high } = readRegions(sums, pairs, drawHeldOut(pairs, lots), 1_000 + test, 200);
    return low > 0 || high < 0;
  });
  return alarms.filter(Boolean).length / tests;
}

interface MarketEstimates {
  readonly truth: readonly number[];
  readonly spends: readonly number[];
  readonly calibrated: readonly Measured[];
  readonly lastTouch: readonly number[];
}

/** Follows the advice and simulates the world again: additional purchases minus additional spend. */
function adviceOf(market: DemandMarket, lived: Lived, { truth, spends, calibrated, lastTouch }: MarketEstimates) {
  const before = spends.reduce((sum, spend) => sum + spend, 0);
  const follow = (change: (campaign: number) => number) => {
    const changes = truth.map((_, campaign) => change(campaign));
    const after = live(market, { budget: (campaign) => 1 + step * (changes[campaign] ?? 0) });
    const spent = spendOf(market, after).reduce((sum, spend) => sum + spend, 0);
    const wrong = changes.filter(
      (sign, campaign) => sign !== 0 && sign > 0 !== (truth[campaign] ?? 0) > (spends[campaign] ?? 0),
    );
    return {
      net: after.value - lived.value - (spent - before),
      changes: changes.filter((sign) => sign !== 0).length,
      wrong: wrong.length,
    };
  };
  const signs = { raise: 1, lower: -1, leave: 0 };
  return {
    last_touch: follow((campaign) => ((lastTouch[campaign] ?? 0) > (spends[campaign] ?? 0) ? 1 : -1)),
    sure: follow((campaign) => {
      const estimate = calibrated[campaign];
      return estimate ? signs[advise(estimate, spends[campaign] ?? 0, 1, 0.8).action] : 0;
    }),
  };
}
