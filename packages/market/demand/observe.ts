import { hashRandom } from './hash-random.ts';
import { type Change, type Lived, live } from './simulate.ts';
import type { DemandMarket } from './world.ts';

/** What the shop observes of a person, or of a device that it cannot link to a person. */
export interface Observed {
  /** The true person, unknown to the shop. */
  readonly person: number;
  /** In order of time, in fractional days. */
  readonly touches: readonly { readonly source: number; readonly ad: number; readonly at: number }[];
  readonly orders: readonly { readonly at: number; readonly value: number }[];
}

const devices = [0, 1, 2, 3];

/**
 * Simulates several devices, cleared cookies and missing links. Purchases belong to the customer; an unlinked device
 * looks like another person.
 */
export function observe(market: DemandMarket, change: Change = {}): { lived: Lived; observed: Observed[] } {
  const { seed, days, nature } = market;
  interface PersonActivity {
    touches: { source: number; ad: number; at: number; device: number }[];
    orders: { at: number; value: number }[];
  }
  const people = new Map<number, PersonActivity>();
  const activityOf = (person: number): PersonActivity => {
    const existing = people.get(person);
    if (existing) return existing;
    const fresh: PersonActivity = { touches: [], orders: [] };
    people.set(person, fresh);
    return fresh;
  };
  const throwOf = (person: number, slot: number) => hashRandom(seed, person, slot, 9_200);
  const lived = live(market, change, {
    witness: {
      touch(person, source, ad, at) {
        const isSecond = hashRandom(seed, person, Math.floor(at * 7), 9_201) < 0.25;
        const isCleared = at > days * throwOf(person, 11) && throwOf(person, 12) < 0.3;
        activityOf(person).touches.push({ source, ad, at, device: Number(isSecond) + 2 * Number(isCleared) });
      },
      buy(person, at, value) {
        activityOf(person).orders.push({ at, value });
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
    const unlinkedDevices = devices.filter((device) => !isLinked[device]).map((device) => of((one) => one === device));
    return [
      { person, touches: of((device) => isLinked[device] ?? false), orders: orders.sort(inOrder) },
      ...unlinkedDevices.filter(({ length }) => length > 0).map((alone) => ({ person, touches: alone, orders: [] })),
    ];
  });
  return { lived, observed };
}
