import type { LookUps } from '@tributary/postgres';
import type { Received, Receiver } from '@tributary/providers';
import { tryOpen, type Vault } from '@tributary/vault';
import type { Channel } from '@tributary/vocabulary';
import { openCredentials } from '../credentials.ts';

/** What an account of a provider signs its webhooks with, sealed, as one profile keeps it. */
export interface SealedSecret {
  readonly profileId: string;
  readonly id: string;
  readonly credentials: Buffer;
}

/** Whoever has connected the account. */
export const findWebhookSecrets = (lookUps: LookUps, channel: Channel, account: string): Promise<SealedSecret[]> =>
  lookUps.lookUp<SealedSecret>('SELECT profile_id AS "profileId", id, credentials FROM find_webhook_secrets($1, $2)', [
    channel,
    account,
  ]);

/** Opens the secrets for the moment in which it compares. */
export const isSignedByAny = (
  vault: Pick<Vault, 'open'>,
  { tells, credentials: schema }: Receiver,
  delivery: Received,
  secrets: readonly SealedSecret[],
): boolean =>
  secrets.some(({ profileId, id, credentials }) => {
    if (!schema || !tells) return false;
    const opened = tryOpen(() => openCredentials(vault, { profileId, id }, { credentials: schema }, credentials));
    return opened !== undefined && tells.verify(delivery, opened);
  });
