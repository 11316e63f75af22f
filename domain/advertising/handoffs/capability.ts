import { createHash, randomBytes } from 'node:crypto';
import type { SealedColumn, SecretLocation, Vault } from '@tributary/vault';

/**
 * The secret part of a hand-off's links. Its holder may finish the hand-off, so it is stored hashed for lookups and
 * encrypted for display.
 */

export const mintCapability = (): string => randomBytes(32).toString('base64url');

export const hashCapability = (capability: string): Buffer => createHash('sha256').update(capability).digest();

export const isCapability = (text: string): boolean => /^[\w-]{43}$/.test(text);

interface HandoffKey {
  readonly profileId: string;
  readonly id: string;
}

const locateSecret = ({ profileId, id }: HandoffKey): SecretLocation => ({
  table: 'handoffs',
  column: 'capability',
  row: id,
  profileId,
});

export const sealedCapabilities: SealedColumn = {
  table: 'handoffs',
  column: 'capability',
  key: ['profile_id', 'id'],
  place: (profileId, id) => locateSecret({ profileId, id: String(id) }),
};

export const sealCapability = (vault: Pick<Vault, 'seal'>, key: HandoffKey, capability: string): Buffer =>
  vault.seal(capability, locateSecret(key));

export const openCapability = (vault: Pick<Vault, 'open'>, key: HandoffKey, sealed: Buffer): string =>
  vault.open(sealed, locateSecret(key));

export const startPath = (capability: string): string => `/connect/${capability}/start`;
