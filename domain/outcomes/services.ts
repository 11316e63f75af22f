import type { CustomerServices } from '@tributary/domain/customers';
import type { Tx } from '@tributary/postgres';
import type { PaymentStandings } from './payment-standings.ts';

/** Whose ads the ids are, as far as the profile's ads are known. The room above tells. */
export type FindAdPlatforms = (
  tx: Tx,
  profileId: string,
  adIds: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

export interface VisitorOf {
  readonly visitorId: string;
  readonly customerId: string;
}

/** Whose browsers are whose. The room above keeps it. */
export interface VisitorLinks {
  /** By browser; one that is nobody's is not among them. */
  holdersOf(tx: Tx, profileId: string, visitorIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Gives browsers that are nobody's to customers, who are locked. Resolves to those that it gave. */
  link(
    tx: Tx,
    profileId: string,
    links: readonly (VisitorOf & { readonly linkedAt: Date; readonly saidOf: string })[],
  ): Promise<readonly VisitorOf[]>;
}

export interface OutcomeServices extends CustomerServices {
  readonly payments: PaymentStandings;
  readonly findAdPlatforms: FindAdPlatforms;
  readonly visitors: VisitorLinks;
}
