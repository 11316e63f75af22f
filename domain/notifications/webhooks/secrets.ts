import { randomBytes } from 'node:crypto';
import type { SealedColumn, SecretLocation, Vault } from '@tributary/vault';
import { hourMs, limits } from '@tributary/vocabulary';
import { z } from 'zod';

/** A signing secret with its expiry; null for the current one. */
export interface SigningSecret {
  readonly secret: string;
  readonly until: string | null;
}

const Secrets = z.array(z.strictObject({ secret: z.string(), until: z.iso.datetime().nullable() }));

/** 32 random bytes in the format of Standard Webhooks. */
export const mintSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Secrets that are valid at a moment, the current one first. */
export const signingAt = (secrets: readonly SigningSecret[], now: Date): SigningSecret[] =>
  secrets.filter(({ until }) => until === null || Date.parse(until) > now.getTime());

/** The secrets after a rotation: the new one, and for the grace period all that were valid until now. */
export function rotateSecrets(secrets: readonly SigningSecret[], fresh: string, now: Date): SigningSecret[] {
  const until = new Date(now.getTime() + limits.webhooks.graceHours * hourMs).toISOString();
  const older = signingAt(secrets, now).map((one) => ({ secret: one.secret, until: one.until ?? until }));
  return [{ secret: fresh, until: null }, ...older];
}

const locationOf = (profileId: string, subscriptionId: string): SecretLocation => ({
  table: 'webhook_subscriptions',
  column: 'secrets',
  row: subscriptionId,
  profileId,
});

export const sealedWebhookSecrets: SealedColumn = {
  table: 'webhook_subscriptions',
  column: 'secrets',
  key: ['profile_id', 'id'],
  place: (profileId, id) => locationOf(profileId, String(id)),
};

interface SubscriptionKey {
  readonly profileId: string;
  readonly id: string;
}

export const sealSecrets = (
  vault: Pick<Vault, 'seal'>,
  { profileId, id }: SubscriptionKey,
  secrets: readonly SigningSecret[],
) => vault.seal(JSON.stringify(secrets), locationOf(profileId, id));

export const openSecrets = (
  vault: Pick<Vault, 'open'>,
  { profileId, id }: SubscriptionKey,
  sealed: Buffer,
): SigningSecret[] => Secrets.parse(JSON.parse(vault.open(sealed, locationOf(profileId, id))));
