import type { CustomerServices } from '@tributary/domain/commerce/customers';
import type { Tx } from '@tributary/postgres';
import type { FirstPaymentService } from './first-payment-service.ts';

/** Maps ad ids to their platforms, for known ads of the profile. Implemented by a module that depends on this one. */
export type FindAdPlatforms = (
  tx: Tx,
  profileId: string,
  adIds: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

export interface VisitorOf {
  readonly visitorId: string;
  readonly customerId: string;
}

/** Links between visitors and customers. Implemented by a module that depends on this one. */
export interface VisitorLinks {
  /** Customer by visitor; anonymous visitors are missing. */
  holdersOf(tx: Tx, profileId: string, visitorIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Links anonymous visitors to locked customers. Resolves to the links created. */
  link(
    tx: Tx,
    profileId: string,
    links: readonly (VisitorOf & { readonly linkedAt: Date; readonly saidOf: string })[],
  ): Promise<readonly VisitorOf[]>;
}

export interface OutcomeServices extends CustomerServices {
  readonly payments: FirstPaymentService;
  readonly findAdPlatforms: FindAdPlatforms;
  readonly visitors: VisitorLinks;
}
