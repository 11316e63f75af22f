import { createHash, randomBytes } from 'node:crypto';
import type { SealedColumn, SecretPlace, Vault } from '@tributary/vault';

/** The secret part of a hand-off's links. Whoever holds it may finish the hand-off, so it is stored hashed, to be found, and sealed, to be shown. */

export const mintCapability = (): string => randomBytes(32).toString('base64url');

export const hashCapability = (capability: string): Buffer => createHash('sha256').update(capability).digest();

export const isCapability = (text: string): boolean => /^[\w-]{43}$/.test(text);

interface Owned {
  readonly profileId: string;
  readonly id: string;
}

const placeOf = ({ profileId, id }: Owned): SecretPlace => ({
  table: 'handoffs',
  column: 'capability',
  row: id,
  profileId,
});

export const sealedCapabilities: SealedColumn = {
  table: 'handoffs',
  column: 'capability',
  key: ['profile_id', 'id'],
  place: (profileId, id) => placeOf({ profileId, id: String(id) }),
};

export const sealCapability = (vault: Pick<Vault, 'seal'>, owned: Owned, capability: string): Buffer =>
  vault.seal(capability, placeOf(owned));

export const openCapability = (vault: Pick<Vault, 'open'>, owned: Owned, sealed: Buffer): string =>
  vault.open(sealed, placeOf(owned));

export const startPath = (capability: string): string => `/connect/${capability}/start`;
