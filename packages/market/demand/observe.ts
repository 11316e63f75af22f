import { type Change, type Lived, live } from './live.ts';
import { thrown } from './throw.ts';
import type { DemandMarket } from './world.ts';

/** What a shop sees of somebody, or of a device that it cannot tell whose it is. */
export interface Observed {
  /** Who it is in truth, which the shop does not know. */
  readonly person: number;
  /** In the order of time; days and parts of them. */
  readonly touches: readonly { readonly source: number; readonly ad: number; readonly at: number }[];
  readonly orders: readonly { readonly at: number; readonly value: number }[];
}

const devices = [0, 1, 2, 3];

/** Several devices, cleared cookies, and some of it never linked. What was bought is the customer's; a lost device is a stranger's. */
export function observe(market: DemandMarket, change: Change = {}): { lived: Lived; observed: Observed[] } {
  const { seed, days, nature } = market;
  interface Seen {
    touches: { source: number; ad: number; at: number; device: number }[];
    orders: { at: number; value: number }[];
  }
  const people = new Map<number, Seen>();
  const seenOf = (person: number): Seen => {
    const known = people.get(person);
    if (known) return known;
    const fresh: Seen = { touches: [], orders: [] };
    people.set(person, fresh);
    return fresh;
  };
  const throwOf = (person: number, slot: number) => thrown(seed, person, slot, 9_200);
  const lived = live(market, change, {
    witness: {
      touch(person, source, ad, at) {
        const isSecond = thrown(seed, person, Math.floor(at * 7), 9_201) < 0.25;
        const isCleared = at > days * throwOf(person, 11) && throwOf(person, 12) < 0.3;
        seenOf(person).touches.push({ source, ad, at, device: Number(isSecond) + 2 * Number(isCleared) });
      },
      buy(person, at, value) {
        seenOf(person).orders.push({ at, value });
      },
    },
  });
  const inOrder = (a: { at: number }, b: { at: number }) => a.at - b.at;
  const observed = [...people].flatMap(([person, { touches, orders }]): Observed[] => {
    const isLinked = devices.map((device) =>
      orders.length > 0 ? throwOf(person, 20 + device) >= nature.lostDevices : device === 0,
    );
    const of = (wanted: (device: number) => boolean) =>
      touches
        .filter(({ device }) => wanted(device))
        .map(({ source, ad, at }) => ({ source, ad, at }))
        .sort(inOrder);
    const strangers = devices.filter((device) => !isLinked[device]).map((device) => of((one) => one === device));
    return [
      { person, touches: of((device) => isLinked[device] ?? false), orders: orders.sort(inOrder) },
      ...strangers.filter(({ length }) => length > 0).map((alone) => ({ person, touches: alone, orders: [] })),
    ];
  });
  return { lived, observed };
}
