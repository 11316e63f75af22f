import {
  type BookedOutcome,
  Clicks,
  factsOfOutcomes,
  healthy,
  merged,
  readConnectionFacts,
  readOutcomeFacts,
} from './providers-facts.ts';
import type { ProvidersShop, ProvidersWorld } from './providers-world.ts';

/** What the lives of all payment providers have in common. */
export interface Seller {
  readonly shop: ProvidersShop;
  readonly clicks: Clicks;
  readonly connections: string[];
  /** Ids of payments before which their customer clicked an ad. */
  readonly clicked: Set<string>;
}

export async function openSeller(world: ProvidersWorld): Promise<Seller> {
  const shop = await world.open();
  return { shop, clicks: new Clicks(world, shop), connections: [], clicked: new Set() };
}

export const compared = (
  world: ProvidersWorld,
  { shop, clicks, connections, clicked }: Seller,
  outcomes: () => readonly BookedOutcome[],
) => ({
  profileId: shop.profileId,
  connections,
  expected: () => merged(factsOfOutcomes(outcomes(), clicked), new Map(healthy(connections))),
  actual: async () => {
    await clicks.link();
    await shop.settle();
    return merged(await readOutcomeFacts(shop), await readConnectionFacts(world, connections));
  },
});

/** A fresh customer for each payment, with an address that no test of ours knows. */
export const customerOf = (name: string, number: number) => ({
  id: `cus_${name}_${number}`,
  externalId: `${name}-${number}`,
  email: `${name}.${number}@example.com`,
  firstName: 'Ines',
  lastName: `Rojas ${number}`,
  name: `Ines Rojas ${number}`,
  phone: null,
});
