import type { PersonGate } from '@tributary/operations';
import type { Outbound } from '@tributary/outbound';
import type { Postgres } from '@tributary/postgres';
import type { Vault } from '@tributary/vault';

/** What the handlers of this room need from the outside. */
export interface WebhookServices {
  readonly vault: Vault;
  /** Reaches the hosts that webhooks may go to. */
  readonly webhookTargets: Pick<Outbound, 'checkTarget'>;
}

/** What the queue works with. */
export interface WebhookStores {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly outbound: Pick<Outbound, 'openLine'>;
  readonly vault: Pick<Vault, 'open'>;
  readonly gate: PersonGate;
  readonly now: () => Date;
  /** From 0 to 1. */
  readonly random: () => number;
}
