import { randomBytes } from 'node:crypto';
import type { SealedColumn, SecretPlace, Vault } from '@tributary/vault';
import { hourMs, limits } from '@tributary/vocabulary';
import { z } from 'zod';

/** A secret that signs, and until when; null for the one that is current. */
export interface SigningSecret {
  readonly secret: string;
  readonly until: string | null;
}

const Secrets = z.array(z.strictObject({ secret: z.string(), until: z.iso.datetime().nullable() }));

/** 32 random bytes, written as Standard Webhooks writes them. */
export const mintSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Those that sign at a moment, the current one first. */
export const signingAt = (secrets: readonly SigningSecret[], now: Date): SigningSecret[] =>
  secrets.filter(({ until }) => until === null || Date.parse(until) > now.getTime());

/** The secrets after a rotation: the fresh one, and for the time of grace all that signed until now. */
export function rotated(secrets: readonly SigningSecret[], fresh: string, now: Date): SigningSecret[] {
  const until = new Date(now.getTime() + limits.webhooks.graceHours * hourMs).toISOString();
  const older = signingAt(secrets, now).map((one) => ({ secret: one.secret, until: one.until ?? until }));
  return [{ secret: fresh, until: null }, ...older];
}

const placeOf = (profileId: string, subscriptionId: string): SecretPlace => ({
  table: 'webhook_subscriptions',
  column: 'secrets',
  row: subscriptionId,
  profileId,
});

export const sealedWebhookSecrets: SealedColumn = {
  table: 'webhook_subscriptions',
  column: 'secrets',
  key: ['profile_id', 'id'],
  place: (profileId, id) => placeOf(profileId, String(id)),
};

interface Owned {
  readonly profileId: string;
  readonly id: string;
}

export const sealSecrets = (vault: Pick<Vault, 'seal'>, { profileId, id }: Owned, secrets: readonly SigningSecret[]) =>
  vault.seal(JSON.stringify(secrets), placeOf(profileId, id));

export const openSecrets = (vault: Pick<Vault, 'open'>, { profileId, id }: Owned, sealed: Buffer): SigningSecret[] =>
  Secrets.parse(JSON.parse(vault.open(sealed, placeOf(profileId, id))));
