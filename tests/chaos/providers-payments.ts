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

/** Shared by the simulated lives of all payment providers. */
export interface Seller {
  readonly shop: ProvidersShop;
  readonly clicks: Clicks;
  readonly connections: string[];
  /** Ids of payments whose customer clicked an ad before. */
  readonly clicked: Set<string>;
}

export async function openSeller(world: ProvidersWorld): Promise<Seller> {
  const shop = await world.open();
  return { shop, clicks: new Clicks(world, shop), connections: [], clicked: new Set() };
}

export const factsOfSeller = (
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

/** A new customer for each payment, with an e-mail address that no other test uses. */
export const customerOf = (name: string, number: number) => ({
  id: `cus_${name}_${number}`,
  externalId: `${name}-${number}`,
  email: `${name}.${number}@example.com`,
  firstName: 'Ines',
  lastName: `Rojas ${number}`,
  name: `Ines Rojas ${number}`,
  phone: null,
});
