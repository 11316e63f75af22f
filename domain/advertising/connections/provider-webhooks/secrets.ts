import type { LookUps } from '@tributary/postgres';
import type { Receiver, WebhookDelivery } from '@tributary/providers';
import { tryOpen, type Vault } from '@tributary/vault';
import type { Channel } from '@tributary/vocabulary';
import { openCredentials } from '../credentials.ts';

/** The encrypted webhook secret of an account, as stored by one profile. */
export interface SealedSecret {
  readonly profileId: string;
  readonly id: string;
  readonly credentials: Buffer;
}

/** The secrets of all profiles that connected the account. */
export const findWebhookSecrets = (lookUps: LookUps, channel: Channel, account: string): Promise<SealedSecret[]> =>
  lookUps.lookUp<SealedSecret>('SELECT profile_id AS "profileId", id, credentials FROM find_webhook_secrets($1, $2)', [
    channel,
    account,
  ]);

/** Whether one of the secrets matches the signature. Decrypts each secret only for the comparison. */
export const isSignedByAny = (
  vault: Pick<Vault, 'open'>,
  { selfSignedWebhooks, credentials: schema }: Receiver,
  delivery: WebhookDelivery,
  secrets: readonly SealedSecret[],
): boolean =>
  secrets.some(({ profileId, id, credentials }) => {
    if (!schema || !selfSignedWebhooks) return false;
    const decrypted = tryOpen(() => openCredentials(vault, { profileId, id }, { credentials: schema }, credentials));
    return decrypted !== undefined && selfSignedWebhooks.verify(delivery, decrypted);
  });
