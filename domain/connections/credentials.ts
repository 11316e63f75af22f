import type { Provider } from '@tributary/providers';
import type { SealedColumn, SecretPlace, Vault } from '@tributary/vault';

const placeOf = (profileId: string, connectionId: string): SecretPlace => ({
  table: 'connections',
  column: 'credentials',
  row: connectionId,
  profileId,
});

export const sealedCredentials: SealedColumn = {
  table: 'connections',
  column: 'credentials',
  key: ['profile_id', 'id'],
  place: (profileId, id) => placeOf(profileId, String(id)),
};

interface Owned {
  readonly profileId: string;
  readonly id: string;
}

export const sealCredentials = (vault: Pick<Vault, 'seal'>, { profileId, id }: Owned, credentials: unknown): Buffer =>
  vault.seal(JSON.stringify(credentials), placeOf(profileId, id));

/** As they were sealed, for who needs no provider to read them. */
export const openSecrets = (vault: Pick<Vault, 'open'>, { profileId, id }: Owned, sealed: Buffer): string =>
  vault.open(sealed, placeOf(profileId, id));

export const openCredentials = (
  vault: Pick<Vault, 'open'>,
  { profileId, id }: Owned,
  provider: Pick<Provider, 'credentials'>,
  sealed: Buffer,
): unknown => provider.credentials.parse(JSON.parse(vault.open(sealed, placeOf(profileId, id))));
