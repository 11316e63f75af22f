import type { Outbound } from '@tributary/outbound';
import type { Ledger, Postgres } from '@tributary/postgres';
import type { Providers } from '@tributary/providers';
import type { Vault } from '@tributary/vault';

/** What the handlers of this room, and of rooms that ask providers, need from the outside. */
export interface ConnectionServices {
  readonly vault: Vault;
  readonly providers: Providers;
  /** Reaches the hosts of providers: in development some of them are local. */
  readonly providerOutbound: Pick<Outbound, 'request'>;
  /** Absent where no caller waits for a response. */
  readonly createReconnectUrl?: CreateReconnectUrl;
}

/**
 * A page on which a merchant without an account renews the connection. Undefined where members do it in the console; null where an app
 * governs the profile and the provider has no consent page, so that only the app itself can connect again.
 */
export type CreateReconnectUrl = (of: {
  readonly profileId: string;
  readonly connectionId: string;
  readonly requestId: string;
  readonly now: Date;
}) => Promise<string | null | undefined>;

/** The same with the ledger of the profile whose connections are meant; a handler's context is one. */
export interface ProfileServices extends ConnectionServices {
  readonly ledger: Ledger;
}

/** What a worker opens connections with, whosever they are. */
export interface ConnectionStores extends ConnectionServices {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly now: () => Date;
}
