import { groupSales, isSystematicOverlap, matchRecords, type SaleRecord } from '@tributary/rules';
import type { SaleSourceKind } from '@tributary/vocabulary';
import { numbersFrom } from './numbers-from.ts';

/**
 * Two shops of one profile, each with a separate store and payment provider. No record of one shop is the same sale as a record of the other.
 * Their prices, hours and order numbers are as similar as those of real shops, and some customers buy in both.
 */

const month = 30 * 86_400_000;
const prices = [
  9.9, 12.9, 14.9, 19.9, 19.95, 24.9, 29, 29.9, 34.9, 39.9, 39.95, 49, 49.9, 59.9, 79.9, 99, 99.9, 149, 199,
];
const hours = [1, 1, 1, 1, 1, 2, 3, 5, 7, 9, 10, 11, 11, 10, 9, 9, 10, 11, 12, 13, 12, 9, 5, 2];

type Basket = SaleRecord & { readonly kind: SaleSourceKind };

function openShop(name: string, orders: number, dice: () => number): Basket[] {
  const below = (most: number) => Math.floor(dice() * most);
  const busiest = hours.reduce((sum, weight) => sum + weight, 0);
  const hourOf = () => {
    let left = below(busiest);
    return hours.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
  };
  const times = Array.from({ length: orders }, () => below(30) * 86_400_000 + hourOf() * 3_600_000 + below(3_600_000));
  return times
    .sort((a, b) => a - b)
    .flatMap((at, index): Basket[] => {
      const items = 1 + Math.floor(dice() ** 3 * 4);
      const goods = Array.from({ length: items }, () => prices[below(prices.length)] ?? 0);
      const amount = (goods.reduce((sum, price) => sum + price, 0) + (dice() < 0.5 ? 4.9 : 0)).toFixed(2);
      // One customer in twenty buys in both shops.
      const n = below(orders / 2);
      const customerId = dice() < 0.1 ? null : n % 20 === 0 ? `shared-${n}` : `${name}-${n}`;
      const number = String(1_001 + index);
      const long = String(4_000_000_000_000 + below(1_000_000_000)) + name;
      const order = (more: Partial<Basket> & Pick<Basket, 'kind' | 'references'>): Basket => ({
        id: `${name}-${more.kind}-${index}`,
        key: `${name}-${more.kind}-${index}`,
        source: `${more.kind}:${name}`,
        customerId,
        amount,
        currency: 'USD',
        at,
        installment: null,
        ...more,
      });
      return [
        order({
          kind: 'store',
          references: [
            { value: long, level: 'order' },
            { value: number, level: 'order' },
          ],
        }),
        order({
          kind: 'payments',
          at: at + below(120_000),
          references: [
            { value: `pay_${long}`, level: 'payment' },
            // A bank's authorization code for a card payment has six digits.
            { value: String(100_000 + below(900_000)), level: 'payment' },
            { value: number, level: 'order' },
          ],
        }),
      ];
    });
}

const options = { windowMs: 600_000, decisions: new Map() };

/** Matches random pairs of records, one of each shop. Counts the pairs that were joined automatically and those that were proposed. */
export function measureRandomPairs(pairs: number, progress: (done: number) => void) {
  const dice = numbersFrom(7);
  const [one, other] = [openShop('a', 20_000, dice), openShop('b', 20_000, dice)];
  const pick = (from: readonly Basket[]) => from[Math.floor(dice() * from.length)] as Basket;
  let [automatic, proposed] = [0, 0];
  for (let done = 0; done < pairs; done += 1) {
    const [match] = matchRecords([pick(one), pick(other)], options);
    if (match?.isCertain) automatic += 1;
    else if (match) proposed += 1;
    if (done % 50_000 === 0) progress(done);
  }
  return { pairs, automatic, proposed };
}

/** Does the same for all records of both shops in a month: it matches every pair that shares a customer or a reference. */
export function measureMonth(orders: number) {
  const dice = numbersFrom(11);
  const all = [...openShop('a', orders, dice), ...openShop('b', orders, dice)].map((one) => ({
    ...one,
    at: Math.min(one.at, month),
  }));
  const shopOf = new Map(all.map(({ id }) => [id, id.split('-')[0]]));
  const components = componentsOf(all);
  const matches = components.flatMap((records) => matchRecords(records, options));
  const sourceOf = new Map(all.map(({ id, source }) => [id, source]));
  const partners = new Map<string, number>();
  const pairOf = (a = '', b = '') => [a, b].sort().join('|');
  for (const { first, second, isLikely } of matches) {
    const pair = pairOf(sourceOf.get(first), sourceOf.get(second));
    if (isLikely) partners.set(pair, (partners.get(pair) ?? 0) + 1);
  }
  const overlap = (a: string, b: string) =>
    isSystematicOverlap(orders, partners.get(pairOf(a, b)) ?? 0) ? ('systematic' as const) : ('unknown' as const);
  const { sales } = groupSales(
    all.map((one) => ({ ...one, isIdentified: one.customerId !== null, isExcluded: false })),
    matches,
    { decisions: new Map(), overlap },
  );
  const isOfBoth = (ids: readonly string[]) => new Set(ids.map((id) => shopOf.get(id))).size > 1;
  return {
    records: all.length,
    sales: sales.length,
    automatic: sales.filter(({ records }) => isOfBoth(records)).length,
    proposed: matches.filter(({ first, second }) => isOfBoth([first, second])).length,
    is_overlap_found: [...partners.keys()].some((pair) => {
      const [a = '', b = ''] = pair.split('|');
      return a.at(-1) !== b.at(-1) && overlap(a, b) === 'systematic';
    }),
  };
}

/** Groups the records that share a reference, or a customer and an amount, directly or through other records. Only these can match. */
function componentsOf(records: readonly Basket[]): Basket[][] {
  const parents = new Map<string, string>();
  const root = (name: string): string => {
    let found = name;
    for (let next = parents.get(found) ?? found; next !== found; next = parents.get(found) ?? found) found = next;
    return found;
  };
  for (const { id, customerId, amount, references } of records) {
    const names = references.map(({ value }) => `reference ${value}`);
    if (customerId !== null) names.push(`customer ${customerId} ${amount}`);
    for (const name of names) parents.set(root(name), root(`record ${id}`));
  }
  return [...Map.groupBy(records, ({ id }) => root(`record ${id}`)).values()];
}
