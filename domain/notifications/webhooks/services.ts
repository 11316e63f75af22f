import type { PersonalDataGate } from '@tributary/operations';
import type { Outbound } from '@tributary/outbound';
import type { Postgres } from '@tributary/postgres';
import type { Vault } from '@tributary/vault';

/** External services that the handlers of this module need. */
export interface WebhookServices {
  readonly vault: Vault;
  /** Checks which hosts webhooks may be sent to. */
  readonly webhookTargets: Pick<Outbound, 'checkTarget'>;
}

/** Services that the queue needs. */
export interface WebhookStores {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly outbound: Pick<Outbound, 'openLine'>;
  readonly vault: Pick<Vault, 'open'>;
  readonly gate: PersonalDataGate;
  readonly now: () => Date;
  /** From 0 to 1. */
  readonly random: () => number;
}
