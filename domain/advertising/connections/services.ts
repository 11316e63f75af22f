import type { Outbound } from '@tributary/outbound';
import type { Ledger, Postgres } from '@tributary/postgres';
import type { Providers } from '@tributary/providers';
import type { Vault } from '@tributary/vault';

/** The services that handlers of this module, and of modules that call providers, need. */
export interface ConnectionServices {
  readonly vault: Vault;
  readonly providers: Providers;
  /** Reaches the hosts of providers; in development some of them are local. */
  readonly providerOutbound: Pick<Outbound, 'request'>;
  /** Absent in processes that serve no callers. */
  readonly createReconnectUrl?: CreateReconnectUrl;
}

/**
 * Creates the URL of a page where a merchant without an account reconnects. Undefined if members reconnect in the
 * console. Null if an app manages the profile and the provider has no consent page, so that only the app can reconnect.
 */
export type CreateReconnectUrl = (of: {
  readonly profileId: string;
  readonly connectionId: string;
  readonly requestId: string;
  readonly now: Date;
}) => Promise<string | null | undefined>;

/** The same services with the ledger of the connection's profile; a handler's context provides it. */
export interface ProfileServices extends ConnectionServices {
  readonly ledger: Ledger;
}

/** The services with which a worker opens connections of any profile. */
export interface ConnectionStores extends ConnectionServices {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly now: () => Date;
}
